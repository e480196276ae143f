// SPDX-License-Identifier: Apache-2.0
//
// Counters of different threads in one cache line.

#include "defect.h"

enum { STEPS = 100, ROUNDS = 400000, APART = CURED ? 16 : 1 };

int main(void) {
    static volatile uint64_t counter[64 * 16] __attribute__((aligned(64)));
#pragma omp parallel // HERE
    for (int step = 0; step < STEPS; step++) {
        int mine = omp_get_thread_num() * APART;
        for (int i = 0; i < ROUNDS; i++)
            counter[mine]++;
    }
    return done(counter[0]);
}
