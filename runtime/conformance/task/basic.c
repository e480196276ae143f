// SPDX-License-Identifier: Apache-2.0
//
// One thread creates tasks, and then all threads create tasks: each task runs once, and all have
// run when the barrier ends. Also tests the if clause and data capture.
#include "check.h"

enum { TASKS = 2000 };
static int hits[TASKS];

static void check_hits(int expected) {
    for (int i = 0; i < TASKS; i++)
        CHECK_EQ(hits[i], expected);
    memset(hits, 0, sizeof hits);
}

int main(void) {
    int size = omp_get_max_threads();
    omp_set_dynamic(0);
#pragma omp parallel
    {
#pragma omp single
        for (int i = 0; i < TASKS; i++) {
#pragma omp task
            __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
        }
#pragma omp single
        check_hits(1);
        for (int i = 0; i < TASKS; i += 10) {
#pragma omp task
            for (int j = i; j < i + 10; j++)
                __atomic_fetch_add(&hits[j], 1, __ATOMIC_RELAXED);
        }
#pragma omp barrier
#pragma omp single
        check_hits(size);
        for (int i = 0; i < 20; i++) {
            int done = 0;
#pragma omp task if (i % 2) shared(done)
            done = 1;
            if (i % 2 == 0) CHECK_EQ(done, 1); // undeferred
#pragma omp taskwait
            CHECK_EQ(done, 1);
        }
        // The end of the region waits for these.
#pragma omp task
        __atomic_fetch_add(&hits[0], 1, __ATOMIC_RELAXED);
    }
    CHECK_EQ(hits[0], size);
}
