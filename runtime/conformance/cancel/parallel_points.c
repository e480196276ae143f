// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true
//
// Threads that loop over a cancellation point leave the loop when another thread executes cancel
// parallel.
#include "check.h"

int main(void) {
    omp_set_dynamic(0);
    for (int round = 0; round < 20; round++) {
        int ended = 0;
#pragma omp parallel
        {
            if (omp_get_thread_num() == omp_get_num_threads() - 1) {
#pragma omp cancel parallel
            }
            for (;;) {
#pragma omp cancellation point parallel
                sched_yield();
            }
#pragma omp atomic
            ended++;
        }
        CHECK_EQ(ended, 0);
    }
}
