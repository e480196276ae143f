// SPDX-License-Identifier: Apache-2.0
//
// Ordered regions of unsigned long long loops run one at a time, in the order of the iterations,
// with every schedule.
#include "check.h"
#include "schedules.h"

enum { N = 150 };
typedef unsigned long long ull;
static ull next_value;

static void take_turn(ull value, ull step) {
    CHECK(value == next_value);
    next_value += step;
}

#define BASE 0xFFFFFFFFFFFF0000ull

#define UP_AND_DOWN(schedule_clause)                                                                                   \
    do {                                                                                                               \
        next_value = BASE;                                                                                             \
        PRAGMA(omp parallel) {                                                                                         \
            PRAGMA(omp for ordered schedule_clause)                                                                    \
            for (ull i = BASE; i < BASE + N; i++) {                                                                    \
                PRAGMA(omp ordered)                                                                                    \
                take_turn(i, 1);                                                                                       \
            }                                                                                                          \
            PRAGMA(omp for ordered schedule_clause)                                                                    \
            for (ull i = BASE + N; i > BASE; i -= 2) {                                                                 \
                PRAGMA(omp ordered)                                                                                    \
                take_turn(i, -2ull);                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
        CHECK(next_value == BASE);                                                                                     \
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
