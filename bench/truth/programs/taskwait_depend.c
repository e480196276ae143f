// SPDX-License-Identifier: Apache-2.0
//
// Rounds: a grain of the creator, a long task, a short task, and a taskwait with a depend clause on
// the short task alone.

#include "truth.h"

__attribute__((unused)) static char few, many;

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
#pragma omp single
    for (int64_t round = 0; round < N / 6; round++) {
        grain(OWN, G, round, 0);
#pragma omp task depend(out : few)
        grain(GRAIN, G, round, 0);
#pragma omp task depend(in : many)
        grain(OTHER, 4 * G, round, 0);
#pragma omp taskwait depend(in : few)
    }
    mark(REGION_ENDS);
    return truth_end();
}
