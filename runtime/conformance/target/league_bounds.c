// SPDX-License-Identifier: Apache-2.0
// clang: it refuses num_teams with two bounds
//
// Tests the numbers of teams and threads: bounds of num_teams and thread_limit, on the host and
// inside target, and settings that are out of range.
#include "check.h"

static int largest_team(void) {
    int threads = 0;
#pragma omp parallel num_threads(9)
#pragma omp single
    threads = omp_get_num_threads();
    return threads;
}

static void check_inside(int* visits, int least, int most, int limit) {
    CHECK(omp_get_num_teams() >= least && omp_get_num_teams() <= most);
    CHECK(omp_get_team_num() >= 0 && omp_get_team_num() < omp_get_num_teams());
    CHECK_EQ(omp_get_level(), 0);
    CHECK(omp_get_thread_limit() <= limit);
    CHECK(largest_team() <= limit);
    visits[omp_get_team_num()]++;
}

static void check_visits(int* visits, int least, int most) {
    int teams = 0;
    while (teams < most && visits[teams] != 0)
        teams++;
    CHECK(teams >= least);
    for (int i = 0; i < most; i++)
        CHECK_EQ(visits[i], i < teams);
    memset(visits, 0, most * sizeof *visits);
}

static void check_threads_know_their_team(void) {
    int team = omp_get_team_num(), teams = omp_get_num_teams();
#pragma omp parallel num_threads(3)
    {
        CHECK_EQ(omp_get_team_num(), team);
        CHECK_EQ(omp_get_num_teams(), teams);
    }
}

int main(void) {
    int visits[5] = {0}, before = omp_get_thread_limit();
    omp_set_dynamic(0);
#pragma omp teams num_teams(2 : 5) thread_limit(4)
    {
        check_inside(visits, 2, 5, 4);
        check_threads_know_their_team();
    }
    check_visits(visits, 2, 5);
    CHECK_EQ(omp_get_thread_limit(), before);
#pragma omp target teams num_teams(2 : 5) thread_limit(4) map(tofrom : visits)
    {
        check_inside(visits, 2, 5, 4);
        check_threads_know_their_team();
    }
    check_visits(visits, 2, 5);
#pragma omp target teams num_teams(3) map(tofrom : visits)
    check_inside(visits, 1, 3, before);
    check_visits(visits, 1, 3);
#pragma omp target thread_limit(2) map(tofrom : visits)
    check_inside(visits, 1, 1, 2);
    check_visits(visits, 1, 1);
    CHECK_EQ(omp_get_num_teams(), 1);

    omp_set_num_teams(2);
    omp_set_num_teams(-3);
    CHECK_EQ(omp_get_max_teams(), 2);
    omp_set_teams_thread_limit(3);
    omp_set_teams_thread_limit(-1);
    CHECK_EQ(omp_get_teams_thread_limit(), 3);
#pragma omp teams
    check_inside(visits, 1, 2, 3);
    check_visits(visits, 1, 2);
    omp_set_num_teams(0);
    CHECK_EQ(omp_get_max_teams(), 0);
    omp_set_teams_thread_limit(0);
    CHECK_EQ(omp_get_teams_thread_limit(), 0);
}
