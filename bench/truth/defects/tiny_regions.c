// SPDX-License-Identifier: Apache-2.0
//
// A region for each step of some 2 us.

#include "defect.h"

enum { STEPS = 30000, SHARES = 4 };

int main(void) {
    static uint64_t part[SHARES][8];
#if CURED
#pragma omp parallel
    for (int step = 0; step < STEPS; step++) {
#pragma omp for schedule(static) nowait
        for (int share = 0; share < SHARES; share++)
            part[share][0] += work(500);
    }
#else
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for schedule(static) // HERE
        for (int share = 0; share < SHARES; share++)
            part[share][0] += work(500);
    }
#endif
    return done(part[0][0]);
}
