// SPDX-License-Identifier: Apache-2.0
//
// In each iteration, three quarters of the work are independent; the last quarter is done in order.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel for schedule(dynamic, 1) ordered
    for (int64_t i = 0; i < N / 4; i++) {
        grain(GRAIN, 3 * G, i, 0);
#pragma omp ordered
        grain(HOLD, G, i, 0);
    }
    mark(REGION_ENDS);
    return truth_end();
}
