// SPDX-License-Identifier: Apache-2.0
//
// Each section runs once, with and without a barrier, in sections constructs with fewer sections
// than threads, with lastprivate and with reduction.
#include "check.h"

enum { ROUNDS = 100 };
static int hits[ROUNDS][3];

int main(void) {
    int last = 0, sum = 0;
#pragma omp parallel
    {
        for (int round = 0; round < ROUNDS; round++) {
#pragma omp sections nowait
            {
#pragma omp section
                __atomic_fetch_add(&hits[round][0], 1, __ATOMIC_RELAXED);
#pragma omp section
                __atomic_fetch_add(&hits[round][1], 1, __ATOMIC_RELAXED);
#pragma omp section
                __atomic_fetch_add(&hits[round][2], 1, __ATOMIC_RELAXED);
            }
        }
#pragma omp sections lastprivate(last) reduction(+ : sum)
        {
            {
                last = 1;
                sum += 1;
            }
#pragma omp section
            {
                last = 2;
                sum += 2;
            }
#pragma omp section
            {
                usleep(2000);
                last = 3;
                sum += 3;
            }
        }
        CHECK_EQ(last, 3);
        CHECK_EQ(sum, 6);
#pragma omp sections
        {
#pragma omp section
            CHECK_EQ(last, 3);
        }
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 3; i++)
            CHECK_EQ(hits[round][i], 1);
}
