// SPDX-License-Identifier: Apache-2.0
//
// Tests the loop construct, bound to a region and bound to the thread, with collapse and reduction.
#include "check.h"

enum { N = 400 };
static int hits[N];

int main(void) {
    long sum = 0;
#pragma omp parallel
    {
#pragma omp loop bind(parallel)
        for (int i = 0; i < N; i++)
            __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
#pragma omp loop bind(parallel) collapse(2) reduction(+ : sum)
        for (int i = 0; i < 20; i++)
            for (int j = 0; j < 20; j++)
                sum += i * j;
    }
    for (int i = 0; i < N; i++)
        CHECK_EQ(hits[i], 1);
    CHECK_EQ(sum, 190 * 190);

    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    {
        int mine = 0;
#pragma omp loop bind(thread)
        for (int i = 0; i < 10; i++)
            mine++;
        CHECK_EQ(mine, 10);
        threads++;
    }
    CHECK(threads >= 1);
    sum = 0;
#pragma omp parallel loop reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += i;
    CHECK_EQ(sum, N * (N - 1) / 2);
}
