// SPDX-License-Identifier: Apache-2.0
//
// Ordered regions of signed loops run one at a time, in the order of the iterations, with every
// schedule.
#include "check.h"
#include "schedules.h"

enum { N = 150 };
static long next_value;
static int inside;

static void take_turn(long value, long step) {
    CHECK_EQ(inside, 0);
    inside = 1;
    CHECK_EQ(value, next_value);
    next_value += step;
    inside = 0;
}

#define UP_AND_DOWN(schedule_clause)                                                                                   \
    do {                                                                                                               \
        next_value = 0;                                                                                                \
        PRAGMA(omp parallel for ordered schedule_clause)                                                               \
        for (long i = 0; i < N; i++) {                                                                                 \
            PRAGMA(omp ordered)                                                                                        \
            take_turn(i, 1);                                                                                           \
        }                                                                                                              \
        CHECK_EQ(next_value, N);                                                                                       \
        PRAGMA(omp parallel) {                                                                                         \
            PRAGMA(omp for ordered schedule_clause)                                                                    \
            for (long i = N; i > 0; i -= 3) {                                                                          \
                /* An iteration need not have an ordered region. */                                                    \
                if (i % 2 == 0) {                                                                                      \
                    PRAGMA(omp ordered)                                                                                \
                    take_turn(i, -6);                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        CHECK_EQ(next_value, 0);                                                                                       \
    } while (0)

int main(void) {
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto};
    for (int k = 0; k < 4; k++) {
        for (int chunk = 1; chunk < 100; chunk = chunk * 7) {
            omp_set_schedule(kinds[k], chunk);
            RUN_ALL_SCHEDULES(UP_AND_DOWN);
        }
    }
}
