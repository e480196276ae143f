// SPDX-License-Identifier: Apache-2.0
//
// A task that holds a lock waits for its child. Another stack of the same thread holds a tied task
// that is ready to continue. This task prevents new tasks from starting on the thread.
#include "check.h"

enum { kRounds = 20 };

int main(void) {
    int ran = 0;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < kRounds; round++) {
#pragma omp task shared(ran)
        {
            for (int i = 0; i < 200; i++) {
#pragma omp taskyield
            }
#pragma omp atomic
            ran++;
        }
#pragma omp task untied shared(ran)
        {
            omp_lock_t own;
            for (int i = 0; i < 40; i++) {
#pragma omp taskyield
            }
            omp_init_lock(&own);
            omp_set_lock(&own);
#pragma omp task shared(ran)
            {
#pragma omp atomic
                ran++;
            }
#pragma omp taskwait
            omp_unset_lock(&own);
        }
#pragma omp taskwait
    }
    CHECK_EQ(ran, 2 * kRounds);
    return 0;
}
