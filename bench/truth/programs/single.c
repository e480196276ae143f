// SPDX-License-Identifier: Apache-2.0
//
// Each thread runs a grain. Then one thread runs a second grain in a single construct, and all
// others wait for it.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
    for (int64_t step = 0; step < N / (omp_get_num_threads() + 1); step++) {
        grain(GRAIN, G, step, omp_get_thread_num());
#pragma omp single
        grain(HOLD, G, step, 0);
    }
    mark(REGION_ENDS);
    return truth_end();
}
