// SPDX-License-Identifier: Apache-2.0
//
// Tests cross-iteration dependences (ordered(n), sink and source) in signed loops of one and two
// dimensions, with every schedule.
#include "check.h"
#include "schedules.h"

enum { N = 16, M = 4 };
static int line[N + 1], grid[M + 1][M + 1];

#define WAVES(schedule_clause)                                                                                         \
    do {                                                                                                               \
        memset(line, 0, sizeof line);                                                                                  \
        memset(grid, 0, sizeof grid);                                                                                  \
        PRAGMA(omp parallel num_threads(threads)) {                                                                    \
            PRAGMA(omp for ordered(1) schedule_clause)                                                                 \
            for (long i = 0; i < N; i++) {                                                                             \
                PRAGMA(omp ordered depend(sink : i - 1))                                                               \
                line[i + 1] = line[i] + 1;                                                                             \
                PRAGMA(omp ordered depend(source))                                                                     \
            }                                                                                                          \
            PRAGMA(omp for ordered(2) schedule_clause)                                                                 \
            for (int i = 0; i < M; i++)                                                                                \
                for (int j = 0; j < M; j++) {                                                                          \
                    PRAGMA(omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1))                                \
                    grid[i + 1][j + 1] = 1 + (grid[i][j + 1] > grid[i + 1][j] ? grid[i][j + 1] : grid[i + 1][j]);      \
                    PRAGMA(omp ordered depend(source))                                                                 \
                }                                                                                                      \
        }                                                                                                              \
        CHECK_EQ(line[N], N);                                                                                          \
        for (int i = 1; i <= M; i++)                                                                                   \
            for (int j = 1; j <= M; j++)                                                                               \
                CHECK_EQ(grid[i][j], i + j - 1);                                                                       \
    } while (0)

int main(void) {
    // A runtime may spin here: a long chain through many threads on few processors takes seconds.
    int threads = omp_get_max_threads() < 3 ? omp_get_max_threads() : 3;
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
    for (int k = 0; k < 3; k++) {
        int chunk = 1 + 2 * k;
        omp_set_schedule(kinds[k], chunk);
        RUN_ALL_SCHEDULES(WAVES);
    }
}
