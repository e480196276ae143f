// SPDX-License-Identifier: Apache-2.0
//
// Every schedule runs each iteration once. Tests signed loops that are not combined with their
// region.
#include "check.h"
#include "schedules.h"

enum { N = 600 };
static int hits[N];

static void check_and_clear_hits(void) {
    for (int i = 0; i < N; i++)
        CHECK_EQ(hits[i], 1);
    memset(hits, 0, sizeof hits);
}

#define UP_AND_DOWN(schedule_clause)                                                                                   \
    do {                                                                                                               \
        PRAGMA(omp parallel) {                                                                                         \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (long i = -50; i < -50 + 7L * N; i += 7)                                                               \
                __atomic_fetch_add(&hits[(i + 50) / 7], 1, __ATOMIC_RELAXED);                                          \
            PRAGMA(omp master)                                                                                         \
            check_and_clear_hits();                                                                                    \
            PRAGMA(omp barrier)                                                                                        \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (long i = 3L * N - 1; i >= 0; i -= 3)                                                                  \
                __atomic_fetch_add(&hits[i / 3], 1, __ATOMIC_RELAXED);                                                 \
        }                                                                                                              \
        check_and_clear_hits();                                                                                        \
    } while (0)

int main(void) {
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto,
                                        omp_sched_dynamic | omp_sched_monotonic};
    for (int k = 0; k < 5; k++) {
        for (int chunk = 1; chunk < 4 * N; chunk = chunk * 12 - 1) {
            omp_set_schedule(kinds[k], chunk);
            RUN_ALL_SCHEDULES(UP_AND_DOWN);
            RUN_NONMONOTONIC_SCHEDULES(UP_AND_DOWN);
        }
    }
}
