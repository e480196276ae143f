// SPDX-License-Identifier: Apache-2.0
//
// More than 64 loops are in progress at the same time: one thread stays in the first loop while the
// others pass all loops.
#include "check.h"

enum { LOOPS = 200, N = 64 };

static int sums[LOOPS];
static int arrived;

int main(void) {
#pragma omp parallel
    {
        int size = omp_get_num_threads();
        for (int loop = 0; loop < LOOPS; loop++) {
#pragma omp for schedule(dynamic, 1) nowait
            for (int i = 0; i < N; i++) {
                // The thread with the first iteration waits for the others to have met every loop.
                if (loop == 0 && i == 0) check_wait_for(&arrived, size - 1);
#pragma omp atomic
                sums[loop] += i;
            }
        }
#pragma omp atomic
        arrived++;
    }
    for (int loop = 0; loop < LOOPS; loop++)
        CHECK_EQ(sums[loop], N * (N - 1) / 2);
}
