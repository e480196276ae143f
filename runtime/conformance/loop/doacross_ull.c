// SPDX-License-Identifier: Apache-2.0
//
// Cross-iteration dependences in unsigned long long loops; every schedule.
// Upward only: programs that GCC 12 makes of a downward unsigned loop hang on its own libgomp.
#include "check.h"
#include "schedules.h"

enum { N = 24 };
typedef unsigned long long ull;
#define BASE 0xFFFFFFFFFFFF0000ull
static int up[N + 1], steps[N + 1];

#define WAVES(schedule_clause)                                                 \
    do {                                                                       \
        memset(up, 0, sizeof up);                                              \
        memset(steps, 0, sizeof steps);                                        \
        PRAGMA(omp parallel num_threads(threads))                                                   \
        {                                                                      \
            PRAGMA(omp for ordered(1) schedule_clause)                         \
            for (ull i = BASE; i < BASE + N; i++) {                            \
                PRAGMA(omp ordered depend(sink : i - 1))                       \
                up[i - BASE + 1] = up[i - BASE] + 1;                           \
                PRAGMA(omp ordered depend(source))                             \
            }                                                                  \
            PRAGMA(omp for ordered(1) schedule_clause)                         \
            for (ull i = 107; i < 107 + 4 * N; i += 4) {                       \
                PRAGMA(omp ordered depend(sink : i - 4) depend(sink : i - 12)) \
                steps[(i - 107) / 4 + 1] = steps[(i - 107) / 4] + 1;               \
                PRAGMA(omp ordered depend(source))                             \
            }                                                                  \
        }                                                                      \
        CHECK_EQ(up[N], N);                                                    \
        CHECK_EQ(steps[N], N);                                                 \
    } while (0)

int main(void)
{
    // A runtime may spin here: a long chain through many threads on few processors takes seconds.
    int threads = omp_get_max_threads() < 4 ? omp_get_max_threads() : 4;
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
    for (int k = 0; k < 3; k++) {
        for (int chunk = 1; chunk <= 4; chunk += 3) {
            omp_set_schedule(kinds[k], chunk);
            RUN_ALL_SCHEDULES(WAVES);
        }
    }
}
