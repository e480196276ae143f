// SPDX-License-Identifier: Apache-2.0
//
// Tests nested regions with two and three active levels: the sizes, ancestors and levels that the
// routines return inside.
#include "check.h"

static int leaves;

static void inner_level(int outer, int middle) {
#pragma omp parallel num_threads(2)
    {
        CHECK_EQ(omp_get_level(), 3);
        CHECK_EQ(omp_get_active_level(), 3);
        CHECK_EQ(omp_get_num_threads(), 2);
        CHECK_EQ(omp_get_ancestor_thread_num(0), 0);
        CHECK_EQ(omp_get_ancestor_thread_num(1), outer);
        CHECK_EQ(omp_get_ancestor_thread_num(2), middle);
        CHECK_EQ(omp_get_ancestor_thread_num(3), omp_get_thread_num());
        CHECK_EQ(omp_get_team_size(0), 1);
        CHECK_EQ(omp_get_team_size(1), 2);
        CHECK_EQ(omp_get_team_size(2), 3);
        CHECK_EQ(omp_get_team_size(3), 2);
        CHECK_EQ(omp_get_ancestor_thread_num(4), -1);
        CHECK_EQ(omp_get_team_size(-1), -1);
#pragma omp atomic
        leaves++;
    }
}

static void middle_level(int outer) {
#pragma omp parallel num_threads(3)
    {
        CHECK_EQ(omp_get_num_threads(), 3);
        CHECK_EQ(omp_get_level(), 2);
        inner_level(outer, omp_get_thread_num());
        CHECK_EQ(omp_get_num_threads(), 3);
        CHECK_EQ(omp_get_level(), 2);
    }
}

int main(void) {
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    for (int round = 1; round <= 5; round++) {
#pragma omp parallel num_threads(2)
        {
            int me = omp_get_thread_num();
            middle_level(me);
            CHECK_EQ(omp_get_thread_num(), me);
            CHECK_EQ(omp_get_level(), 1);
        }
        CHECK_EQ(leaves, 2 * 3 * 2 * round);
    }
}
