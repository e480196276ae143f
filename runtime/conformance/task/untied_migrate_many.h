// SPDX-License-Identifier: Apache-2.0
//
// Many untied tasks that wait in every way, in more threads than processors. Each keeps a value on
// its stack over its waits, in integer and floating-point registers, and adds to a sum.
#include "check.h"

enum { kMostTasks = 40, kRounds = 30 };

static long sum;

static long mix(long value) {
    return (long)(((unsigned long)value * 6364136223846793005U + 1442695040888963407U) >> 48);
}

static long leaf(long value) {
    volatile long spins = value % 200;
    while (spins > 0)
        spins--;
    if (value % 3 == 0) usleep(20); // the other threads get ahead
    return mix(value);
}

static void wait_somehow(long value, long* left, long* right) {
    switch (value % 4) {
    case 0:
#pragma omp task untied shared(left)
        *left = leaf(value);
#pragma omp task shared(right)
        *right = leaf(value + 1);
#pragma omp taskwait
        break;
    case 1:
#pragma omp taskgroup
    {
#pragma omp task shared(left)
        *left = leaf(value);
#pragma omp task untied shared(right)
        {
            long inner = 0;
#pragma omp task untied shared(inner)
            inner = leaf(value + 1);
#pragma omp taskwait
            *right = inner;
        }
    } break;
    case 2:
        for (int i = 0; i < 20; i++) {
#pragma omp taskyield
        }
        *left = leaf(value);
        *right = leaf(value + 1);
        break;
    default: {
        // The order of the dependences is that of the creation.
        int order = 0;
        (void)order;
#pragma omp task shared(left) depend(out : order)
        *left = leaf(value);
#pragma omp task shared(left, right) depend(in : order)
        *right = *left == mix(value) ? leaf(value + 1) : 0;
#pragma omp taskwait
    }
    }
}

static void one(long value) {
    const long kept = mix(value);
    double real = (double)kept;
    long expected = 0, found = 0;
    for (int i = 0; i < 4; i++) {
        long left = -1, right = -1;
        wait_somehow(value + i, &left, &right);
        found += left + right;
        expected += mix(value + i) + mix(value + i + 1);
        real += 0.25;
#pragma omp critical
        sum += 1;
    }
    CHECK_EQ(found, expected);
    CHECK_EQ(mix(value), kept);
    CHECK(real == (double)kept + 1);
}

static int run(void) {
    for (int round = 0; round < kRounds; round++) {
        const int tasks = 2 + round * 7 % kMostTasks; // often fewer than there are threads
        sum = 0;
#pragma omp parallel
#pragma omp single
        {
            for (long i = 0; i < tasks; i++) {
#pragma omp task untied priority(i % 3)
                one(i * 7 + round);
            }
            if (round % 2 == 0) {
#pragma omp taskwait
                CHECK_EQ(sum, 4 * tasks);
            }
        }
        CHECK_EQ(sum, 4 * tasks);
    }
    return 0;
}
