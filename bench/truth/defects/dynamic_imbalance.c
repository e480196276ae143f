// SPDX-License-Identifier: Apache-2.0
//
// A dynamic loop whose chunks are so long that threads idle at its end.

#include "defect.h"

enum { ROWS = 400 };

int main(void) {
    uint64_t sum = 0;
#if CURED
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 2)
#else
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 133) // HERE
#endif
    for (int row = 0; row < ROWS; row++)
        sum += work(row < 266 ? 300000 : 600000);
    return done(sum);
}
