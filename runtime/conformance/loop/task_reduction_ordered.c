// SPDX-License-Identifier: Apache-2.0
//
// Tests ordered loops, and loops with cross-iteration dependences, that also carry a task
// reduction.
#include "check.h"

enum { N = 50 };

int main(void) {
    // Unknown to GCC, so that it takes the unsigned entry points.
    volatile unsigned long long bound_value = N;
    unsigned long long bound = bound_value;
    long sum = 0;
    int next = 0, done[N + 1] = {1};
#pragma omp parallel
    {
#pragma omp for ordered schedule(dynamic, 3) reduction(task, + : sum)
        for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
#pragma omp ordered
            CHECK_EQ(next++, i);
        }
#pragma omp for ordered schedule(static, 3) reduction(task, + : sum)
        for (unsigned long long i = 0; i < bound; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
#pragma omp ordered
            CHECK_EQ(next++, N + i);
        }
#pragma omp for ordered(1) schedule(dynamic) reduction(task, + : sum)
        for (int i = 1; i <= N; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
#pragma omp ordered depend(sink : i - 1)
            CHECK_EQ(__atomic_load_n(&done[i - 1], __ATOMIC_RELAXED), 1);
            __atomic_store_n(&done[i], 1, __ATOMIC_RELAXED);
#pragma omp ordered depend(source)
        }
#pragma omp for ordered(1) schedule(dynamic) reduction(task, + : sum)
        for (unsigned long long i = 1; i <= bound; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
#pragma omp ordered depend(sink : i - 1)
            CHECK_EQ(__atomic_load_n(&done[i - 1], __ATOMIC_RELAXED), i == 1 ? 1 : 2);
            __atomic_store_n(&done[i], 2, __ATOMIC_RELAXED);
#pragma omp ordered depend(source)
        }
    }
    CHECK_EQ(sum, N * (N - 1) + N * (N + 1));
    CHECK_EQ(next, 2 * N);
}
