// SPDX-License-Identifier: Apache-2.0
//
// The serial part takes as long as the whole parallel part.

#include "defect.h"

enum { ROWS = 500 };

static uint64_t table[ROWS];

int main(void) { // HERE
    uint64_t sum = 0;
#if CURED
#pragma omp parallel for schedule(dynamic, 4)
#endif
    for (int row = 0; row < ROWS; row++)
        table[row] = work(200000);
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 4) // HERE
    for (int row = 0; row < ROWS; row++)
        sum += table[row] + work(400000);
    return done(sum);
}
