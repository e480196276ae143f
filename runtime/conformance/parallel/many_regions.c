// SPDX-License-Identifier: Apache-2.0
//
// Runs thousands of regions of the same size. Each region sees the writes of the region before it.
#include "check.h"

enum { REGIONS = 2000 };

int main(void) {
    int size = omp_get_max_threads() < 8 ? omp_get_max_threads() : 8;
    int value[8] = {0};
    omp_set_dynamic(0);
    for (int region = 0; region < REGIONS; region++) {
#pragma omp parallel num_threads(size)
        {
            int me = omp_get_thread_num();
            // The neighbour's cell was written in the region before, by another thread.
            CHECK_EQ(value[(me + region) % size], region);
#pragma omp barrier
            value[me] = region + 1;
        }
    }
    for (int i = 0; i < size; i++)
        CHECK_EQ(value[i], REGIONS);
}
