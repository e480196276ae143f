// SPDX-License-Identifier: Apache-2.0
//
// One creator makes many tasks and runs a grain of its own before each. With a low limit for the
// length of its queue, the creator runs most tasks as soon as it creates them.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
#pragma omp single
    for (int64_t i = 0; i < N / 4; i++) {
        grain(OWN, G, i, 0);
#pragma omp task
        grain(GRAIN, 3 * G, i, 0);
    }
    mark(REGION_ENDS);
    return truth_end();
}
