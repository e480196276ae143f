// SPDX-License-Identifier: Apache-2.0
// The library of replaced.c. It is built twice under two file names; NAME is a function's name.
#include <time.h>

static volatile double sum;

__attribute__((noinline)) void NAME(void) {
    for (int i = 0; i < 1000; ++i)
        sum = sum * 0.5 + 1.0;
}

static long long cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

void spin(int ms) {
    const long long end = cpu_ns() + ms * 1000000LL;
    while (cpu_ns() < end)
        for (int i = 0; i < 20; ++i)
            NAME();
}
