// SPDX-License-Identifier: Apache-2.0
//
// Taskgroups of 16 tasks, of which one cancels its group: those that have not started are
// discarded. A grain of the creator follows each group.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
#pragma omp single
    for (int64_t round = 0; round < N / 17; round++) {
#pragma omp taskgroup
        for (int64_t i = 0; i < 16; i++) {
#pragma omp task
            {
                grain(GRAIN, G, round, i);
                if (i == 4) {
#pragma omp cancel taskgroup
                }
            }
        }
        grain(OWN, G, round, 0);
    }
    mark(REGION_ENDS);
    return truth_end();
}
