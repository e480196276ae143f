// SPDX-License-Identifier: Apache-2.0
//
// A serial part, a region whose threads have equal grains, and a second serial part. On two threads
// all three parts take equally long.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    for (int64_t i = 0; i < N / 4; i++)
        grain(OWN, G, i, 0);
    mark(REGION_BEGINS);
#pragma omp parallel
    for (int64_t i = 0; i < N / 4; i++)
        grain(GRAIN, G, i, 0);
    mark(REGION_ENDS);
    for (int64_t i = 0; i < N / 4; i++)
        grain(OWN, G, i, 1);
    return truth_end();
}
