// SPDX-License-Identifier: Apache-2.0
//
// With the monotonic modifier, each thread gets its iterations in increasing logical order. The
// first thread begins late, so that others would take what a schedule without this order gives it.
#include <unistd.h>

#include "check.h"

enum { N = 3000, LATE_us = 1000 };

#define PRAGMA(text) _Pragma(#text)
#define INCREASING(schedule_clause)                                                                                    \
    do {                                                                                                               \
        long previous = -1;                                                                                            \
        unsigned long long previous_down = N;                                                                          \
        PRAGMA(omp for schedule_clause nowait)                                                                         \
        for (long i = 0; i < N; i++) {                                                                                 \
            if (previous < 0 && omp_get_thread_num() == 0) usleep(LATE_us);                                            \
            CHECK(i > previous);                                                                                       \
            previous = i;                                                                                              \
        }                                                                                                              \
        PRAGMA(omp for schedule_clause)                                                                                \
        for (unsigned long long i = N - 1; i > 0; i--) {                                                               \
            if (previous_down == N && omp_get_thread_num() == 0) usleep(LATE_us);                                      \
            CHECK(i < previous_down);                                                                                  \
            previous_down = i;                                                                                         \
        }                                                                                                              \
    } while (0)

int main(void) {
    omp_set_schedule(omp_sched_dynamic | omp_sched_monotonic, 3);
#pragma omp parallel
    {
        INCREASING(schedule(monotonic : dynamic));
        INCREASING(schedule(monotonic : dynamic, 5));
        INCREASING(schedule(monotonic : guided));
        INCREASING(schedule(monotonic : runtime));
        INCREASING(schedule(runtime));
        INCREASING(schedule(static));
        INCREASING(schedule(static, 9));
    }
}
