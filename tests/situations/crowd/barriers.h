// SPDX-License-Identifier: Apache-2.0
//
// Barriers that check that every thread waited.
#ifndef BARRIERS_H
#define BARRIERS_H

#include "situation.h"

#include <omp.h>

// Runs a region of `threads` threads with two barriers in each round. Between the two barriers one
// thread counts the round. After the second barrier each thread checks the count.
static inline void barriers(int threads, int rounds) {
    int phase = 0, wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
    for (int i = 0; i < rounds; ++i) {
#pragma omp barrier
#pragma omp single nowait
        ++phase;
#pragma omp barrier
        wrong += phase != i + 1;
    }
    CHECK_EQ(wrong, 0);
}

#endif
