// SPDX-License-Identifier: Apache-2.0
// Many small tasks: the recording has several chunks.
#include <stdio.h>

static long fib(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    long sum = 0;
#pragma omp parallel
#pragma omp single
    sum = fib(21);
    return printf("%ld\n", sum) < 0;
}
