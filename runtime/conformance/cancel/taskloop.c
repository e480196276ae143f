// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true
//
// Tests cancel taskgroup inside a taskloop. Also tests that the program continues after a region
// that is cancelled while it has tasks.
#include "check.h"

int main(void) {
    for (int round = 0; round < 50; round++) {
        int begun = 0, went_on = 0, after = 0;
#pragma omp parallel
        {
#pragma omp single
            {
#pragma omp taskloop num_tasks(100)
                for (int i = 0; i < 100; i++) {
#pragma omp atomic
                    begun++;
#pragma omp cancel taskgroup
#pragma omp atomic
                    went_on++;
                }
                after = 1;
            }
            for (int i = 0; i < 5; i++) {
#pragma omp task
                {
#pragma omp atomic
                    begun++;
                }
            }
#pragma omp cancel parallel
        }
        CHECK_EQ(went_on, 0);
        CHECK(begun >= 1);
        CHECK_EQ(after, 1);
    }
}
