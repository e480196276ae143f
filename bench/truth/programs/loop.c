// SPDX-License-Identifier: Apache-2.0
//
// A loop. SCHEDULE selects the schedule: static (the compiler writes such a loop into the program),
// dynamic,1 or guided, or runtime with OMP_SCHEDULE. The last quarter of the iterations takes three
// times as long as the others.

#include "truth.h"

#ifndef SCHEDULE
#define SCHEDULE runtime
#endif

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel for schedule(SCHEDULE)
    for (int64_t i = 0; i < N; i++)
        grain(GRAIN, i < N - N / 4 ? G : 3 * G, i, 0);
    mark(REGION_ENDS);
    return truth_end();
}
