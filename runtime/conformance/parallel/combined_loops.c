// SPDX-License-Identifier: Apache-2.0
//
// In combined parallel loops with each schedule and modifier, every iteration runs exactly once.
#include "check.h"

enum { N = 997 };
static int hits[N];

static void check_and_clear_hits(void) {
    for (int i = 0; i < N; i++)
        CHECK_EQ(hits[i], 1);
    memset(hits, 0, sizeof hits);
}

#define LOOP(schedule_clause)                                                                                          \
    do {                                                                                                               \
        PRAGMA(omp parallel for schedule_clause)                                                                       \
        for (int i = 0; i < N; i++) {                                                                                  \
            PRAGMA(omp atomic)                                                                                         \
            hits[i]++;                                                                                                 \
        }                                                                                                              \
        check_and_clear_hits();                                                                                        \
    } while (0)
#define PRAGMA(text) _Pragma(#text)

static void run_loops(int chunk) {
    LOOP(schedule(static));
    LOOP(schedule(static, chunk));
    LOOP(schedule(dynamic));
    LOOP(schedule(dynamic, chunk));
    // Only with a constant chunk does GCC call the combined entry point.
    LOOP(schedule(dynamic, 7));
    LOOP(schedule(guided, 7));
    LOOP(schedule(monotonic : dynamic));
    LOOP(schedule(monotonic : guided, 3));
    LOOP(schedule(monotonic : dynamic, chunk));
    LOOP(schedule(nonmonotonic : dynamic, chunk));
    LOOP(schedule(guided));
    LOOP(schedule(guided, chunk));
    LOOP(schedule(monotonic : guided, chunk));
    LOOP(schedule(nonmonotonic : guided, chunk));
    LOOP(schedule(auto));
    LOOP(schedule(runtime));
    LOOP(schedule(monotonic : runtime));
    LOOP(schedule(nonmonotonic : runtime));
}

int main(void) {
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto};
    for (int k = 0; k < 4; k++) {
        for (int chunk = 1; chunk <= N; chunk = chunk * 10 - 3) {
            omp_set_schedule(kinds[k], chunk);
            run_loops(chunk);
        }
    }
}
