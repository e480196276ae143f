// SPDX-License-Identifier: Apache-2.0
//
// Situation: regions nested six deep, of which OMP_MAX_ACTIVE_LEVELS=2 allows two to be active; the program changes the limit to three meanwhile
// Catches: a runtime that counts inactive regions, or gives inner regions threads beyond the limit
// env: OMP_MAX_ACTIVE_LEVELS=2 OMP_NUM_THREADS=3
#include "situation.h"

#include <omp.h>

static void level(int depth, int active) {
#pragma omp parallel
    {
        if (omp_get_num_threads() != (depth <= active ? 3 : 1)) WRONG("%d threads at depth %d", omp_get_num_threads(), depth);
        if (omp_get_active_level() != (depth < active ? depth : active)) WRONG("active level %d at depth %d", omp_get_active_level(), depth);
#pragma omp barrier
        if (depth < 6) level(depth + 1, active);
    }
}

int main(void) {
    for (int round = 0; round < 20; ++round) {
        omp_set_max_active_levels(2);
        level(1, 2);
        omp_set_max_active_levels(3);
        level(1, 3);
        omp_set_max_active_levels(0);
        level(1, 0);
    }
    return 0;
}
