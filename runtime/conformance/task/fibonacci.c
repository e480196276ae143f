// SPDX-License-Identifier: Apache-2.0
//
// Runs the recursive tree of tasks, each of which has a taskwait.
#include "check.h"

static long fibonacci(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    long result = 0;
#pragma omp parallel
#pragma omp single
    result = fibonacci(17);
    CHECK_EQ(result, 1597);
}
