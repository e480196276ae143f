// SPDX-License-Identifier: Apache-2.0
//
// Loops with no iteration run none, and loops with one iteration run one, with all schedules, for
// loop variables of type long and unsigned long long.
#include "check.h"
#include "schedules.h"

static int count;

#define EMPTY_AND_SINGLE(schedule_clause)                                                                              \
    do {                                                                                                               \
        PRAGMA(omp parallel) {                                                                                         \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (long i = low; i < low; i++)                                                                           \
                CHECK(!"an empty loop ran");                                                                           \
            PRAGMA(omp for schedule_clause nowait)                                                                     \
            for (unsigned long long i = 10; i < (unsigned long long)low; i++)                                          \
                CHECK(!"an empty unsigned loop ran");                                                                  \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (long i = -low; i > low; i -= 4)                                                                       \
                CHECK(!"an empty downward loop ran");                                                                  \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (unsigned long long i = low; i < (unsigned long long)low + 1; i++)                                     \
                __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);                                                       \
        }                                                                                                              \
        CHECK_EQ(count, 1);                                                                                            \
        count = 0;                                                                                                     \
    } while (0)

int main(void) {
    volatile long low_value = 5;
    long low = low_value, chunk = 3;
    RUN_ALL_SCHEDULES(EMPTY_AND_SINGLE);
    RUN_NONMONOTONIC_SCHEDULES(EMPTY_AND_SINGLE);
}
