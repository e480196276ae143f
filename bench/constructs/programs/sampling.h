/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that all programs here share: a clock, medians, the processors that the process may
use, and the final line. */
#ifndef SAMPLING_H
#define SAMPLING_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline double seconds_now(void) { return seconds_of(CLOCK_MONOTONIC); }

static inline int compare_doubles(const void* left, const void* right) {
    const double a = *(const double*)left, b = *(const double*)right;
    return (a > b) - (a < b);
}

/* The value below which `percent` of all lie; the median for 50. Sorts them. */
static inline double percentile_of(double* values, long count, long percent) {
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[(count - 1) * percent / 100];
}

static inline double median_of(double* values, long count) { return percentile_of(values, count, 50); }

static inline int processors(void) {
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable)) return 1;
    return CPU_COUNT(&usable);
}

/* The line that the scripts read. A time may be below zero: the difference of two measured ones that hardly differ. */
static inline int report_time(const char* program, const char* what, double time_s, long result) {
    printf("%s size=%s time_s=%.4e result=%ld\n", program, what, time_s, result);
    return 0;
}

#endif
