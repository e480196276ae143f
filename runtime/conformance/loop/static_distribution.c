// SPDX-License-Identifier: Apache-2.0
//
// For static schedules the specification determines which thread runs each iteration. Two loops
// with the same bounds have the same distribution, and programs rely on this to leave out the
// barrier between them.
#include "check.h"

enum { N = 1003 };
static int owner[N], again[N];

static void check_chunked(int chunk) {
    omp_set_schedule(omp_sched_static, chunk);
#pragma omp parallel
    {
        int size = omp_get_num_threads(), me = omp_get_thread_num();
#pragma omp for schedule(static, chunk)
        for (int i = 0; i < N; i++)
            CHECK_EQ(me, i / chunk % size);
#pragma omp for schedule(runtime)
        for (int i = 0; i < N; i++)
            CHECK_EQ(me, i / chunk % size);
#pragma omp for schedule(runtime) ordered
        for (unsigned long long i = 0; i < N; i++)
            CHECK_EQ(me, i / chunk % size);
    }
}

static void check_blocks(void) {
    omp_set_schedule(omp_sched_static, 0);
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++)
            owner[i] = omp_get_thread_num();
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++)
            CHECK_EQ(owner[i], omp_get_thread_num());
#pragma omp for schedule(runtime)
        for (int i = 0; i < N; i++)
            again[i] = omp_get_thread_num();
    }
    // One block for each thread, in the order of their numbers, of about equal size.
    int size = omp_get_max_threads();
    for (int i = 1; i < N; i++) {
        CHECK(owner[i] == owner[i - 1] || owner[i] == owner[i - 1] + 1);
        CHECK(again[i] == again[i - 1] || again[i] == again[i - 1] + 1);
    }
    CHECK_EQ(owner[N - 1], size - 1);
    CHECK_EQ(again[N - 1], size - 1);
}

int main(void) {
    omp_set_dynamic(0);
    for (int chunk = 1; chunk < 200; chunk = chunk * 3 + 1)
        check_chunked(chunk);
    check_blocks();
}
