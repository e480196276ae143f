// SPDX-License-Identifier: Apache-2.0
//
// Each iteration does half of its work, waits for the previous iteration, and does the other half.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel for schedule(dynamic, 1) ordered(1)
    for (int64_t i = 0; i < N / 2; i++) {
        grain(GRAIN, G, i, 0);
#pragma omp ordered depend(sink : i - 1)
        grain(HOLD, G, i, 0);
#pragma omp ordered depend(source)
    }
    mark(REGION_ENDS);
    return truth_end();
}
