// SPDX-License-Identifier: Apache-2.0
//
// Tests in, out, inout and mutexinoutset on one address: which tasks may run at the same time, and
// which must wait.
#include "check.h"

enum { ROUNDS = 40, READERS = 5 };

int main(void) {
    int value = 0, readers_done = 0, exclusive = 0, mutex_total = 0;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp task depend(out : value)
        {
            CHECK_EQ(readers_done, round * READERS);
            value = round * 10 + 1;
        }
        for (int i = 0; i < READERS; i++) {
#pragma omp task depend(in : value)
            {
                CHECK_EQ(value, round * 10 + 1);
#pragma omp atomic
                readers_done++;
            }
        }
        for (int i = 0; i < 3; i++) {
#pragma omp task depend(mutexinoutset : value)
            {
                CHECK_EQ(readers_done, (round + 1) * READERS);
                CHECK_EQ(__atomic_add_fetch(&exclusive, 1, __ATOMIC_RELAXED), 1);
                mutex_total++;
                __atomic_sub_fetch(&exclusive, 1, __ATOMIC_RELAXED);
            }
        }
#pragma omp task depend(inout : value)
        CHECK_EQ(mutex_total, 3 * (round + 1));
    }
    CHECK_EQ(mutex_total, 3 * ROUNDS);
}
