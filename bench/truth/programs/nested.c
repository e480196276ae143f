// SPDX-License-Identifier: Apache-2.0
//
// Two threads. Each runs a grain, then opens a region of two threads with two grains each, and
// repeats this. The log contains the number of each inner region.

#include "truth.h"

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS); // before the first call, at which a recording starts
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int64_t outer = omp_get_thread_num();
        for (int64_t round = 0; round < N / 12; round++) {
            grain(OWN, 2 * G, outer, round);
#pragma omp parallel num_threads(2)
            grain(GRAIN, 2 * G, outer, round);
        }
    }
    mark(REGION_ENDS);
    return truth_end();
}
