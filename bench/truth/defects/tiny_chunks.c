// SPDX-License-Identifier: Apache-2.0
//
// Iterations of some 50 ns, handed out one by one.

#include "defect.h"

enum { ROWS = 600000 };

int main(void) {
    uint64_t sum = 0;
#if CURED
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 1000)
#else
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 1) // HERE
#endif
    for (int row = 0; row < ROWS; row++)
        sum += work(50);
    return done(sum);
}
