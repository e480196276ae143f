// SPDX-License-Identifier: Apache-2.0
//
// Tests taskloops with bounds next to the limits of their type, with large steps and few
// iterations.
#include "check.h"
#include <limits.h>

static int count;

static void expect(int expected) {
    CHECK_EQ(count, expected);
    count = 0;
}

#define COUNT __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)

int main(void) {
    volatile long huge_value = LONG_MAX / 5;
    long huge = huge_value;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop num_tasks(4)
        for (long i = LONG_MAX - 10; i < LONG_MAX; i++)
            COUNT;
        expect(10);
#pragma omp taskloop grainsize(2)
        for (long i = 0; i < 4 * huge - 1; i += huge)
            COUNT;
        expect(4);
#pragma omp taskloop num_tasks(3)
        for (long i = LONG_MIN + 10; i > LONG_MIN; i -= 1)
            COUNT;
        expect(10);
#pragma omp taskloop num_tasks(100)
        for (unsigned long long i = ULLONG_MAX - 10; i < ULLONG_MAX; i++)
            COUNT;
        expect(10);
#pragma omp taskloop
        for (unsigned long long i = ULLONG_MAX; i > ULLONG_MAX - 8; i -= 2)
            COUNT;
        expect(4);
    }
}
