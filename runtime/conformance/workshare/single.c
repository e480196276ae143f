// SPDX-License-Identifier: Apache-2.0
//
// single: exactly one thread each time; the other threads wait at its barrier; copyprivate copies
// its values to all threads.
#include "check.h"

enum { ROUNDS = 300 };

int main(void) {
    int with_barrier = 0, without[ROUNDS] = {0};
#pragma omp parallel
    {
        for (int round = 0; round < ROUNDS; round++) {
#pragma omp single nowait
            without[round]++;
#pragma omp single
            with_barrier++;
            CHECK_EQ(with_barrier, round + 1);
#pragma omp barrier
        }
        for (int round = 0; round < ROUNDS; round++) {
            long value = -1;
            struct {
                double x;
                int who;
            } pair = {0, -1};
#pragma omp single copyprivate(value, pair)
            {
                value = round;
                pair.x = round * 0.5;
                pair.who = omp_get_thread_num();
            }
            CHECK_EQ(value, round);
            CHECK(pair.x == round * 0.5);
            CHECK(pair.who >= 0 && pair.who < omp_get_num_threads());
        }
    }
    for (int round = 0; round < ROUNDS; round++)
        CHECK_EQ(without[round], 1);
}
