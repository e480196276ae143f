// SPDX-License-Identifier: Apache-2.0
//
// Sixteen threads with a barrier after each short step, however many processors there are.

#include "defect.h"

enum { STEPS = 2000, SHARES = 16 };

int main(void) {
    static uint64_t part[SHARES];
    int threads = CURED ? omp_get_num_procs() : SHARES;
#pragma omp parallel num_threads(threads) // HERE
    for (int step = 0; step < STEPS; step++) {
#pragma omp for schedule(static, 1)
        for (int share = 0; share < SHARES; share++)
            part[share] += work(5000);
    }
    return done(part[0]);
}
