// SPDX-License-Identifier: Apache-2.0
//
// Situation: recursive tasks with a different priority in each generation; parents wait for their children
// Catches: a runtime in which a waiting thread considers only the task of the highest priority, which it may not run: libomp never ends
// env: OMP_NUM_THREADS=4 OMP_MAX_TASK_PRIORITY=20
#include "situation.h"

static long fib(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a) priority(n / 2)
    a = fib(n - 1);
#pragma omp task shared(b) priority(n / 2)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    for (int round = 0; round < 20; ++round) {
        long result = 0;
#pragma omp parallel
#pragma omp single
        result = fib(18);
        CHECK_EQ(result, 2584);
    }
    return 0;
}
