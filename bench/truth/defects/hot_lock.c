// SPDX-License-Identifier: Apache-2.0
//
// Most of the work is done within a critical construct, although only the sum needs the construct.

#include "defect.h"

enum { STEPS = 6000 };

int main(void) {
    uint64_t sum = 0;
#pragma omp parallel for
    for (int i = 0; i < STEPS; i++) {
        uint64_t mine = work(10000);
#if CURED
        mine += work(30000);
#pragma omp critical
        sum += mine;
#else
#pragma omp critical // HERE
        sum += mine + work(30000);
#endif
    }
    return done(sum);
}
