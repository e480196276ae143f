// SPDX-License-Identifier: Apache-2.0
//
// Four sections, of 1, 2, 3 and 4 grains' length, over and over.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
    for (int64_t step = 0; step < N / 10; step++) {
#pragma omp sections
        {
#pragma omp section
            grain(GRAIN, G, step, 0);
#pragma omp section
            grain(GRAIN, 2 * G, step, 1);
#pragma omp section
            grain(GRAIN, 3 * G, step, 2);
#pragma omp section
            grain(GRAIN, 4 * G, step, 3);
        }
    }
    mark(REGION_ENDS);
    return truth_end();
}
