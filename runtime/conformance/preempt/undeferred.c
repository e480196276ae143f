// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// stock: fails, a running task keeps its thread
//
// An undeferred task has the priority of its creator, whichever task used its memory before. A task
// that the undeferred task creates with a higher priority runs first.
#include "check.h"

static int served, ran;

static void serve_in_undeferred_task(void) {
    served = 0;
#pragma omp task if (0)
    {
#pragma omp task priority(5)
        __atomic_store_n(&served, 1, __ATOMIC_RELEASE);
        check_wait_for(&served, 1);
    }
}

int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task priority(1)
    {
        serve_in_undeferred_task();
        for (int i = 0; i < 50; i++) {
#pragma omp task priority(9)
            __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
        }
#pragma omp taskwait
        serve_in_undeferred_task();
    }
    CHECK_EQ(ran, 50);
    return 0;
}
