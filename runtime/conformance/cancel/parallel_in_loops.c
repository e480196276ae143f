// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true
//
// One thread cancels the region while the others wait at the end of a loop, of sections, or of a
// single: the barriers there are cancellation points.
#include "check.h"

enum { N = 64, LOOP, SECTIONS, SINGLE, BARRIER, KINDS };

static int iterations, past_end;

static void cancelled_region(int kind) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < N; i++)
            __atomic_fetch_add(&iterations, 1, __ATOMIC_RELAXED);
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        }
        if (kind == LOOP) {
#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < N; i++)
                sched_yield();
        } else if (kind == SECTIONS) {
#pragma omp sections
            {
                sched_yield();
#pragma omp section
                sched_yield();
            }
        } else if (kind == SINGLE) {
#pragma omp single
            sched_yield();
        } else {
#pragma omp barrier
        }
        __atomic_fetch_add(&past_end, 1, __ATOMIC_RELAXED);
    }
}

int main(void) {
    for (int round = 1; round <= 50; round++) {
        for (int kind = LOOP; kind < KINDS; kind++)
            cancelled_region(kind);
        CHECK_EQ(iterations, 4 * N * round);
        CHECK_EQ(past_end, 0);
    }
}
