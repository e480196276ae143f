// SPDX-License-Identifier: Apache-2.0
//
// A taskloop whose tasks have an iteration each.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
#pragma omp single
    {
        mark(CREATION_BEGINS);
#pragma omp taskloop grainsize(1) nogroup
        for (int64_t i = 0; i < N; i++)
            grain(GRAIN, G, i, 0);
        mark(CREATION_ENDS);
    }
    mark(REGION_ENDS);
    return truth_end();
}
