// SPDX-License-Identifier: Apache-2.0
//
// Tests sequences of different work-sharing constructs, with only one barrier in each round.
#include "check.h"

enum { ROUNDS = 100, N = 40 };

static int loops[3][ROUNDS], singles[ROUNDS], sections[ROUNDS];

int main(void) {
#pragma omp parallel
    {
        for (int round = 0; round < ROUNDS; round++) {
#pragma omp for schedule(guided) nowait
            for (unsigned long long i = 0; i < N; i++)
                __atomic_fetch_add(&loops[0][round], 1, __ATOMIC_RELAXED);
#pragma omp single nowait
            singles[round]++;
#pragma omp for schedule(dynamic, 3) nowait
            for (int i = N; i > 0; i--)
                __atomic_fetch_add(&loops[1][round], 1, __ATOMIC_RELAXED);
#pragma omp sections nowait
            {
                __atomic_fetch_add(&sections[round], 1, __ATOMIC_RELAXED);
#pragma omp section
                __atomic_fetch_add(&sections[round], 10, __ATOMIC_RELAXED);
            }
#pragma omp for schedule(dynamic, 2) ordered
            for (int i = 0; i < N; i++) {
#pragma omp ordered
                loops[2][round]++;
            }
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int kind = 0; kind < 3; kind++)
            CHECK_EQ(loops[kind][round], N);
        CHECK_EQ(singles[round], 1);
        CHECK_EQ(sections[round], 11);
    }
}
