// SPDX-License-Identifier: Apache-2.0
//
// Steps with a barrier after each. In each step one thread runs three grains, and each other thread
// runs one grain. From step to step another thread is the one with three grains.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
    for (int64_t step = 0; step < N / (omp_get_num_threads() + 2); step++) {
        int long_one = step % omp_get_num_threads() == omp_get_thread_num();
        grain(GRAIN, long_one ? 3 * G : G, step, omp_get_thread_num());
#pragma omp barrier
    }
    mark(REGION_ENDS);
    return truth_end();
}
