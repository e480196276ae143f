// SPDX-License-Identifier: Apache-2.0
//
// Tests cross-iteration dependences in unsigned long long loops, with every schedule. The bounds
// are known only at run time, because GCC calls the signed entry points for constant bounds. All
// loops count upwards, because a downward unsigned loop that GCC 12 compiles hangs on its own
// libgomp.
#include "check.h"
#include "schedules.h"

enum { N = 16 };
typedef unsigned long long ull;
#define BASE 0xFFFFFFFFFFFF0000ull
static int up[N + 1], steps[N + 1];

#define WAVES(schedule_clause)                                                                                         \
    do {                                                                                                               \
        memset(up, 0, sizeof up);                                                                                      \
        memset(steps, 0, sizeof steps);                                                                                \
        PRAGMA(omp parallel num_threads(threads)) {                                                                    \
            PRAGMA(omp for ordered(1) schedule_clause)                                                                 \
            for (ull i = base; i < end; i++) {                                                                         \
                PRAGMA(omp ordered depend(sink : i - 1))                                                               \
                up[i - base + 1] = up[i - base] + 1;                                                                   \
                PRAGMA(omp ordered depend(source))                                                                     \
            }                                                                                                          \
            PRAGMA(omp for ordered(1) schedule_clause)                                                                 \
            for (ull i = start; i < last; i += 4) {                                                                    \
                PRAGMA(omp ordered depend(sink : i - 4) depend(sink : i - 12))                                         \
                steps[(i - start) / 4 + 1] = steps[(i - start) / 4] + 1;                                               \
                PRAGMA(omp ordered depend(source))                                                                     \
            }                                                                                                          \
        }                                                                                                              \
        CHECK_EQ(up[N], N);                                                                                            \
        CHECK_EQ(steps[N], N);                                                                                         \
    } while (0)

int main(void) {
    // A runtime may spin here: a long chain through many threads on few processors takes seconds.
    volatile ull base_value = BASE, start_value = 107;
    ull base = base_value, start = start_value, end = base + N, last = start + 4 * N;
    int threads = omp_get_max_threads() < 3 ? omp_get_max_threads() : 3;
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
    for (int k = 0; k < 3; k++) {
        int chunk = 1 + 2 * k;
        omp_set_schedule(kinds[k], chunk);
        RUN_ALL_SCHEDULES(WAVES);
    }
}
