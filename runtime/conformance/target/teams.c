// SPDX-License-Identifier: Apache-2.0
//
// Tests teams on the host: team numbers, thread limits, distribute, and the internal control
// variables for teams.
#include "check.h"

// A function, because GCC lets only a few enquiries stand directly in a teams construct.
static void check_team(int limit) {
    CHECK(omp_get_thread_limit() <= limit);
    CHECK_EQ(omp_get_level(), 0);
}

int main(void) {
    int teams = 0, hits[100] = {0};
    omp_set_dynamic(0);
#pragma omp teams num_teams(3) thread_limit(2) reduction(+ : teams)
    {
        CHECK_EQ(omp_get_num_teams(), 3);
        CHECK(omp_get_team_num() >= 0 && omp_get_team_num() < 3);
        check_team(2);
        teams += 1 << (4 * omp_get_team_num());
#pragma omp parallel
        CHECK(omp_get_num_threads() <= 2);
    }
    CHECK_EQ(teams, 0x111);
#pragma omp teams distribute parallel for num_teams(2)
    for (int i = 0; i < 100; i++)
        __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 100; i++)
        CHECK_EQ(hits[i], 1);
    omp_set_num_teams(2);
    omp_set_teams_thread_limit(3);
    CHECK_EQ(omp_get_max_teams(), 2);
    CHECK_EQ(omp_get_teams_thread_limit(), 3);
    teams = 0;
#pragma omp teams reduction(+ : teams)
    {
        CHECK(omp_get_num_teams() <= 2);
        check_team(3);
        teams++;
    }
    CHECK(teams >= 1 && teams <= 2);
    CHECK_EQ(omp_get_num_teams(), 1);
}
