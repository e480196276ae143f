// SPDX-License-Identifier: Apache-2.0
//
// A triangular loop with a static schedule.

#include "defect.h"

enum { ROWS = 400 };

int main(void) {
    uint64_t sum = 0;
#if CURED
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 4)
#else
#pragma omp parallel for reduction(+ : sum) // HERE
#endif
    for (int row = 0; row < ROWS; row++)
        sum += work(row * 2000L);
    return done(sum);
}
