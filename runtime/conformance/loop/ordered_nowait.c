// SPDX-License-Identifier: Apache-2.0
// stock: fails, a turn given in one static loop is taken in another, and threads hang
//
// Ordered loops follow each other without a barrier. Several loops are in progress at the same
// time, and each keeps its own order.
#include "check.h"

enum { LOOPS = 100, N = 40 };

static int next_static[LOOPS], next_dynamic[LOOPS];

int main(void) {
#pragma omp parallel
    for (int loop = 0; loop < LOOPS; loop++) {
#pragma omp for schedule(static, 1) ordered nowait
        for (int i = 0; i < N; i++) {
#pragma omp ordered
            {
                CHECK_EQ(next_static[loop], i);
                next_static[loop]++;
            }
        }
#pragma omp for schedule(dynamic, 1) ordered nowait
        for (unsigned long long i = 0; i < N; i++) {
#pragma omp ordered
            {
                CHECK_EQ(next_dynamic[loop], i);
                next_dynamic[loop]++;
            }
        }
    }
    for (int loop = 0; loop < LOOPS; loop++) {
        CHECK_EQ(next_static[loop], N);
        CHECK_EQ(next_dynamic[loop], N);
    }
}
