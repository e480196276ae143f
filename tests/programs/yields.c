// SPDX-License-Identifier: Apache-2.0
// Runs four tasks that yield to each other. Between two yields a task does very little work, or
// NANOSECONDS of work (yields NANOSECONDS); in the second case the tasks yield fewer times.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TASKS = 4, SHORT = 20000, LONG = 2000 };

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static unsigned work(long ns) {
    static const unsigned factor = 1664525;
    unsigned sum = 1;
    for (int i = 0; i < 50; ++i)
        sum = sum * factor + 1013904223u;
    if (ns != 0)
        for (const long long until = now_ns() + ns; now_ns() < until;)
            ;
    return sum;
}

int main(int argc, char** argv) {
    const long ns = argc > 1 ? atol(argv[1]) : 0;
    const int turns = ns != 0 ? LONG : SHORT;
    unsigned sums[TASKS] = {0};
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; ++i)
#pragma omp task untied shared(sums)
        for (int turn = 0; turn < turns; ++turn) {
            sums[i] += work(ns);
#pragma omp taskyield
        }
    for (int i = 1; i < TASKS; ++i)
        if (sums[i] != sums[0]) return 1;
    puts("done");
    return 0;
}
