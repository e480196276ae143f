// SPDX-License-Identifier: Apache-2.0
//
// Situation: regions four deep, 2x2x2x2 and 3x3x3x3, with barriers, loops and tasks on each level, again and again
// Catches: a runtime that starts new threads for each inner region, keeps threads of inner teams spinning, or counts levels wrongly
// env: OMP_MAX_ACTIVE_LEVELS=4
// limit: 60
#include "situation.h"

#include <omp.h>

enum { kDepth = 4 };

struct Totals {
    long leaves, tasks, iterations;
};

static void level(int depth, int width, struct Totals* totals) {
#pragma omp parallel num_threads(width)
    {
        if (omp_get_level() != depth || omp_get_active_level() != depth) WRONG("level %d instead of %d", omp_get_level(), depth);
        if (omp_get_num_threads() != width) WRONG("%d threads instead of %d", omp_get_num_threads(), width);
        if (omp_get_team_size(depth) != width || omp_get_ancestor_thread_num(depth) != omp_get_thread_num()) WRONG("ancestors");
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 10; ++i)
#pragma omp atomic
            totals->iterations += 1;
#pragma omp single
        for (int i = 0; i < 10; ++i) {
#pragma omp task
#pragma omp atomic
            totals->tasks += 1;
        }
#pragma omp barrier
        if (depth < kDepth) {
            level(depth + 1, width, totals);
        } else {
#pragma omp atomic
            totals->leaves += 1;
        }
    }
}

static long regions(int width) {
    long sum = 0, row = 1;
    for (int depth = 0; depth < kDepth; ++depth, row *= width) sum += row;
    return sum;
}

int main(void) {
    const double began = omp_get_wtime();
    for (int width = 2; width <= 3; ++width)
        for (int round = 0; round < 20; ++round) {
            struct Totals totals = {0, 0, 0};
            level(1, width, &totals);
            CHECK_EQ(totals.leaves, width * width * width * width);
            CHECK_EQ(totals.tasks, 10 * regions(width));
            CHECK_EQ(totals.iterations, 10 * regions(width));
        }
    printf("note: %.1f s\n", omp_get_wtime() - began);
    return 0;
}
