// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on TEFF_TSC=strict
// stock: fails, a running task keeps its thread
//
// The ready task with the highest priority may not start on the thread of the running task, because
// both tasks are tied. The task behind it in the queue may start there, and its priority is also
// higher than that of the running task.
#include "check.h"

enum { ROUNDS = 20 };

static int begun, served, last;

int main(void) {
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel
#pragma omp single
        {
#pragma omp task priority(1)
            {
                volatile double sum = 0;
                __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
                while (__atomic_load_n(&served, __ATOMIC_ACQUIRE) <= round)
                    sum += 1;
            }
            check_wait_for(&begun, round + 1);
#pragma omp task priority(9)
            __atomic_fetch_add(&last, 1, __ATOMIC_RELEASE);
#pragma omp task untied priority(5)
            {
                CHECK_EQ(last, round);
                __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE);
            }
            check_wait_for(&served, round + 1);
        }
    }
    CHECK_EQ(last, ROUNDS);
    return 0;
}
