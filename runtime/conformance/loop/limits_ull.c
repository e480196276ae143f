// SPDX-License-Identifier: Apache-2.0
//
// Tests unsigned loops with bounds next to 2^64, and with steps so large that the values of a few
// iterations wrap.
#include "check.h"
#include "schedules.h"
#include <limits.h>

typedef unsigned long long ull;
static int count;
static ull sum_of_offsets;

static void expect(int expected_count, ull expected_sum) {
    CHECK_EQ(count, expected_count);
    CHECK_EQ(sum_of_offsets, expected_sum);
    count = 0;
    sum_of_offsets = 0;
}

static void visit(ull offset) {
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum_of_offsets, offset, __ATOMIC_RELAXED);
}

#define NEAR_THE_ENDS(schedule_clause)                                                                                 \
    do {                                                                                                               \
        PRAGMA(omp parallel) {                                                                                         \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (ull i = ULLONG_MAX - 10; i < ULLONG_MAX; i++)                                                         \
                visit(ULLONG_MAX - i);                                                                                 \
            PRAGMA(omp single)                                                                                         \
            expect(10, 55);                                                                                            \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (ull i = ULLONG_MAX; i > ULLONG_MAX - 30; i -= 10)                                                     \
                visit(ULLONG_MAX - i);                                                                                 \
            PRAGMA(omp single)                                                                                         \
            expect(3, 0 + 10 + 20);                                                                                    \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (ull i = 10; i > 0; i--)                                                                               \
                visit(i);                                                                                              \
            PRAGMA(omp single)                                                                                         \
            expect(10, 55);                                                                                            \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (ull i = 0; i < 4 * huge - 1; i += huge)                                                               \
                visit(i / huge);                                                                                       \
            PRAGMA(omp single)                                                                                         \
            expect(4, 0 + 1 + 2 + 3);                                                                                  \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (ull i = ULLONG_MAX; i > ULLONG_MAX - 3 * huge + 1; i -= huge)                                         \
                visit((ULLONG_MAX - i) / huge);                                                                        \
            PRAGMA(omp single)                                                                                         \
            expect(3, 0 + 1 + 2);                                                                                      \
        }                                                                                                              \
    } while (0)

int main(void) {
    volatile ull huge_value = ULLONG_MAX / 5;
    ull huge = huge_value;
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
    for (int k = 0; k < 3; k++) {
        for (int chunk = 1; chunk <= 4; chunk += 3) {
            omp_set_schedule(kinds[k], chunk);
            RUN_ALL_SCHEDULES(NEAR_THE_ENDS);
            RUN_NONMONOTONIC_SCHEDULES(NEAR_THE_ENDS);
        }
    }
}
