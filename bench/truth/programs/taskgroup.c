// SPDX-License-Identifier: Apache-2.0
//
// Rounds: a grain of the creator; a long task for which no task waits; and a taskgroup with a task
// that creates another task and does not wait for this task.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
#pragma omp single
    for (int64_t round = 0; round < N / 6; round++) {
        grain(OWN, G, round, 0);
#pragma omp task
        grain(OTHER, 3 * G, round, 0);
#pragma omp taskgroup
        {
#pragma omp task
            {
                grain(GRAIN, G, round, 0);
#pragma omp task
                grain(GRAIN, G, round, 1);
            }
        }
    }
    mark(REGION_ENDS);
    return truth_end();
}
