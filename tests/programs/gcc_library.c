// SPDX-License-Identifier: Apache-2.0
// A library for clang_threads.c: a region that GCC has compiled, with tasks, which calls code of
// Clang.
#include <omp.h>

int of_gcc(int threads, int (*of_clang)(void)) {
    int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        int own = 0;
#pragma omp task shared(own)
        own = of_clang();
#pragma omp taskwait
        sum += own;
    }
    return sum;
}
