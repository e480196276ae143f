// SPDX-License-Identifier: Apache-2.0
//
// Rounds: a grain of the creator, eight tasks, and a taskwait.

#include "truth.h"

enum { TASKS = 8 };

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
#pragma omp single
    for (int64_t round = 0; round < N / (TASKS + 1); round++) {
        grain(OWN, G, round, 0);
        for (int64_t i = 0; i < TASKS; i++) {
#pragma omp task
            grain(GRAIN, G, round, i);
        }
#pragma omp taskwait
    }
    mark(REGION_ENDS);
    return truth_end();
}
