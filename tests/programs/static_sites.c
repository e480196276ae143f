// SPDX-License-Identifier: Apache-2.0
// Static loops whose chunks are known: see tests/test_cc.py.
#include <stdio.h>

enum { N = 1200, ROUNDS = 5 };
static volatile int sink[N];

static void orphan(void) {
#pragma omp for schedule(static) // orphan
    for (int i = 0; i < N; ++i)
        sink[i] = i;
}

int main(void) {
#pragma omp parallel for // whole
    for (int i = 0; i < N; ++i)
        sink[i] = i;
#pragma omp parallel
    for (int round = 0; round < ROUNDS; ++round)
        orphan();
#pragma omp parallel for schedule(static, 100) // hundreds
    for (int i = 0; i < N; ++i)
        sink[i] = i;
#pragma omp parallel for schedule(dynamic, 300) // dynamic
    for (int i = 0; i < N; ++i)
        sink[i] = i;
    puts("done");
    return 0;
}
