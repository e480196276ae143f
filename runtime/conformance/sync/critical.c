// SPDX-License-Identifier: Apache-2.0
//
// Critical regions with the same name exclude each other. Tests the unnamed critical region, two
// names, and nested regions with different names.
#include "check.h"

enum { ROUNDS = 200 };
static long unnamed, first, second;
static int inside[3];

#define EXCLUSIVE(which, statement)                                                                                    \
    do {                                                                                                               \
        CHECK_EQ(__atomic_add_fetch(&inside[which], 1, __ATOMIC_RELAXED), 1);                                          \
        statement;                                                                                                     \
        __atomic_sub_fetch(&inside[which], 1, __ATOMIC_RELAXED);                                                       \
    } while (0)

int main(void) {
    int size = omp_get_max_threads();
    omp_set_dynamic(0);
#pragma omp parallel
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp critical
        EXCLUSIVE(0, check_slow_increment(&unnamed));
#pragma omp critical(alpha)
        EXCLUSIVE(1, check_slow_increment(&first));
#pragma omp critical(beta) hint(omp_sync_hint_contended)
        {
            EXCLUSIVE(2, check_slow_increment(&second));
#pragma omp critical(alpha)
            EXCLUSIVE(1, check_slow_increment(&first));
        }
    }
    CHECK_EQ(unnamed, (long)size * ROUNDS);
    CHECK_EQ(first, 2L * size * ROUNDS);
    CHECK_EQ(second, (long)size * ROUNDS);
}
