// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the programs with a defect: work of a known size, and the time from begin to end.
// Each program is built twice, the second time with CURED. The comment HERE marks the lines that a
// finding may name.

#ifndef DEFECT_H
#define DEFECT_H

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef CURED
#define CURED 0
#endif

static double defect_began;

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// About `ns` ns of arithmetic that nothing can shorten.
__attribute__((noinline, unused)) static uint64_t work(int64_t ns) {
    uint64_t value = (uint64_t)ns;
    for (int64_t step = 0; step < ns * 3 / 4; step++) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

__attribute__((constructor)) static void begin_s(void) { defect_began = now_s(); }

static int done(uint64_t result) {
    printf("time_s=%.9f result=%d\n", now_s() - defect_began, (int)(result & 1));
    return 0;
}

#endif
