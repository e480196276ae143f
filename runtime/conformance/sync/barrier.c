// SPDX-License-Identifier: Apache-2.0
//
// Thousands of barriers: no thread passes a barrier before all threads have arrived, and writes
// before the barrier are visible after it.
#include "check.h"

int main(void) {
    int size = omp_get_max_threads();
    int barriers = size > 8 ? 300 : 2000;
    int* phase = calloc(size, sizeof *phase);
    omp_set_dynamic(0);
#pragma omp parallel
    {
        int me = omp_get_thread_num();
        for (int i = 1; i <= barriers; i++) {
            phase[me] = i;
#pragma omp barrier
            CHECK_EQ(phase[(me + i) % size], i);
#pragma omp barrier
        }
    }
    free(phase);
}
