// SPDX-License-Identifier: Apache-2.0
//
// Tests loops with bounds next to the limits of type long, and with steps so large that the values
// of a few iterations overflow the type.
#include "check.h"
#include "schedules.h"
#include <limits.h>

static int count;
static long sum_of_offsets;

static void expect(int expected_count, long expected_sum) {
    CHECK_EQ(count, expected_count);
    CHECK_EQ(sum_of_offsets, expected_sum);
    count = 0;
    sum_of_offsets = 0;
}

static void visit(long offset) {
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum_of_offsets, offset, __ATOMIC_RELAXED);
}

#define NEAR_THE_ENDS(schedule_clause)                                                                                 \
    do {                                                                                                               \
        PRAGMA(omp parallel for schedule_clause)                                                                       \
        for (long i = LONG_MAX - 10; i < LONG_MAX; i++)                                                                \
            visit(LONG_MAX - i);                                                                                       \
        expect(10, 55);                                                                                                \
        PRAGMA(omp parallel for schedule_clause)                                                                       \
        for (long i = LONG_MIN + 10; i > LONG_MIN; i--)                                                                \
            visit(i - LONG_MIN);                                                                                       \
        expect(10, 55);                                                                                                \
        PRAGMA(omp parallel for schedule_clause)                                                                       \
        for (long i = LONG_MAX - 35; i < LONG_MAX - 10; i += 10)                                                       \
            visit(LONG_MAX - i);                                                                                       \
        expect(3, 35 + 25 + 15);                                                                                       \
        PRAGMA(omp parallel for schedule_clause)                                                                       \
        for (long i = 0; i < 4 * huge - 1; i += huge)                                                                  \
            visit(i / huge);                                                                                           \
        expect(4, 0 + 1 + 2 + 3);                                                                                      \
        PRAGMA(omp parallel for schedule_clause)                                                                       \
        for (long i = 0; i > 1 - 4 * huge; i -= huge)                                                                  \
            visit(-(i / huge));                                                                                        \
        expect(4, 0 + 1 + 2 + 3);                                                                                      \
    } while (0)

int main(void) {
    volatile long huge_value = LONG_MAX / 5;
    long huge = huge_value;
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
    for (int k = 0; k < 3; k++) {
        for (int chunk = 1; chunk <= 4; chunk += 3) {
            omp_set_schedule(kinds[k], chunk);
            RUN_ALL_SCHEDULES(NEAR_THE_ENDS);
            RUN_NONMONOTONIC_SCHEDULES(NEAR_THE_ENDS);
        }
    }
}
