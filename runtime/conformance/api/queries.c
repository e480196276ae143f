// SPDX-License-Identifier: Apache-2.0
//
// Enquiry functions outside and inside a region agree with each other and with what was set.
#include "check.h"

static void check_constant_values(void) {
    CHECK(omp_get_num_procs() >= 1);
    CHECK(omp_get_thread_limit() >= omp_get_max_threads());
    CHECK(omp_get_max_active_levels() >= 0);
    CHECK(omp_get_supported_active_levels() >= omp_get_max_active_levels());
    CHECK_EQ(omp_get_cancellation(), 0);
    CHECK_EQ(omp_get_max_task_priority(), 0);
    CHECK_EQ(omp_get_proc_bind(), omp_proc_bind_false);
    CHECK_EQ(omp_get_num_teams(), 1);
    CHECK_EQ(omp_get_team_num(), 0);
    CHECK_EQ(omp_in_final(), 0);
}

int main(void) {
    check_constant_values();
    CHECK_EQ(omp_get_level(), 0);
    CHECK_EQ(omp_get_active_level(), 0);
    CHECK_EQ(omp_get_ancestor_thread_num(0), 0);
    CHECK_EQ(omp_get_ancestor_thread_num(1), -1);
    CHECK_EQ(omp_get_team_size(0), 1);
    CHECK_EQ(omp_get_team_size(1), -1);
    CHECK_EQ(omp_in_parallel(), 0);
    omp_set_dynamic(1);
    CHECK(omp_get_dynamic());
    omp_set_dynamic(0);
    CHECK(!omp_get_dynamic());
    int max = omp_get_max_threads();
#pragma omp parallel
    {
        check_constant_values();
        CHECK_EQ(omp_get_max_threads(), max);
        CHECK_EQ(omp_get_num_threads(), max);
        CHECK_EQ(omp_get_level(), 1);
        CHECK_EQ(omp_get_active_level(), max > 1);
        CHECK_EQ(omp_in_parallel(), max > 1);
        CHECK_EQ(omp_get_team_size(1), max);
        CHECK_EQ(omp_get_ancestor_thread_num(1), omp_get_thread_num());
        CHECK_EQ(omp_get_ancestor_thread_num(0), 0);
        CHECK_EQ(omp_get_dynamic(), 0);
    }
    omp_set_num_threads(max + 2);
    CHECK_EQ(omp_get_max_threads(), max + 2);
    omp_set_nested(1);
    CHECK(omp_get_nested());
    CHECK(omp_get_max_active_levels() > 1);
    omp_set_nested(0);
    CHECK(!omp_get_nested());
}
