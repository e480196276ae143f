// SPDX-License-Identifier: Apache-2.0
//
// Undeferred tasks: the creator waits for each.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
#pragma omp single
    for (int64_t i = 0; i < N / 2; i++) {
        grain(OWN, G, i, 0);
#pragma omp task if (0)
        grain(GRAIN, G, i, 0);
    }
    mark(REGION_ENDS);
    return truth_end();
}
