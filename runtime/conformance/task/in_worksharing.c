// SPDX-License-Identifier: Apache-2.0
//
// Tasks that are created inside loops, sections, single and ordered regions have run at the end of
// the construct's barrier.
#include "check.h"

enum { N = 200 };
static int hits[N];

static void check_and_clear_hits(void) {
#pragma omp single
    {
        for (int i = 0; i < N; i++)
            CHECK_EQ(hits[i], 1);
        memset(hits, 0, sizeof hits);
    }
}

int main(void) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < N; i++) {
#pragma omp task
            __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
        }
        check_and_clear_hits();
#pragma omp for schedule(static) ordered
        for (int i = 0; i < N; i++) {
#pragma omp ordered
            {
#pragma omp task
                __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
            }
        }
        check_and_clear_hits();
#pragma omp sections
        {
            for (int i = 0; i < N / 2; i++) {
#pragma omp task
                __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
            }
#pragma omp section
            for (int i = N / 2; i < N; i++) {
#pragma omp task
                __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
            }
        }
        check_and_clear_hits();
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < N; i++) {
#pragma omp task
            __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
        }
#pragma omp barrier
        check_and_clear_hits();
    }
}
