// SPDX-License-Identifier: Apache-2.0
//
// Tests collapsed loop nests: rectangular nests, triangular nests, nests with steps, and nests with
// 64-bit unsigned loop variables.
#include "check.h"

static int hits[8][9][10];

static void check_all(int expected_total) {
    int total = 0;
    for (int* hit = &hits[0][0][0]; hit < &hits[0][0][0] + 720; hit++) {
        CHECK(*hit <= 1);
        total += *hit;
    }
    CHECK_EQ(total, expected_total);
    memset(hits, 0, sizeof hits);
}

int main(void) {
#pragma omp parallel for collapse(3) schedule(dynamic, 4)
    for (int i = 0; i < 8; i++)
        for (int j = 8; j >= 0; j--)
            for (int k = 0; k < 10; k += 3)
                __atomic_fetch_add(&hits[i][j][k], 1, __ATOMIC_RELAXED);
    check_all(8 * 9 * 4);

#pragma omp parallel for collapse(2) schedule(guided)
    for (unsigned long long i = 0; i < 8; i++)
        for (unsigned long long j = 9; j > 1; j -= 2)
            __atomic_fetch_add(&hits[i][j - 1][0], 1, __ATOMIC_RELAXED);
    check_all(8 * 4);

    // A triangular nest may not carry a schedule clause.
#pragma omp parallel for collapse(2)
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++)
            __atomic_fetch_add(&hits[i][j][0], 1, __ATOMIC_RELAXED);
    check_all(8 * 7 / 2);

    int next = 0;
#pragma omp parallel for collapse(2) ordered schedule(dynamic)
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 9; j++) {
#pragma omp ordered
            CHECK_EQ(i * 9 + j, next++);
        }
    CHECK_EQ(next, 72);
}
