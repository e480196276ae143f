// SPDX-License-Identifier: Apache-2.0
// clang: without devices, target constructs are no calls of the runtime
//
// A target region on the host is executed by an initial task of its own. This task sees no
// enclosing region, its settings end with the task, and it may open regions. All this holds in any
// member of any team.
#include "check.h"

enum { ROUNDS = 20 };

static void check_apart(void) {
    CHECK_EQ(omp_get_level(), 0);
    CHECK_EQ(omp_get_num_threads(), 1);
    CHECK_EQ(omp_get_thread_num(), 0);
    CHECK(!omp_in_parallel());
    CHECK(!omp_in_final());
    CHECK_EQ(omp_get_num_teams(), 1);
    CHECK_EQ(omp_get_team_num(), 0);
}

static void change_settings(void) {
    check_apart();
    omp_set_num_threads(7);
    omp_set_max_active_levels(5);
    omp_set_default_device(3);
}

static void region_inside(void) {
    int sum = 0;
#pragma omp target map(tofrom : sum)
    {
        check_apart();
#pragma omp parallel num_threads(3) reduction(+ : sum)
        {
            CHECK_EQ(omp_get_level(), 1);
#pragma omp for
            for (int i = 0; i < 100; i++)
                sum += i;
#pragma omp task shared(sum)
            CHECK_EQ(omp_get_level(), 1);
        }
    }
    CHECK_EQ(sum, 4950);
}

static void settings_end(void) {
    int threads = omp_get_max_threads(), levels = omp_get_max_active_levels(), device = omp_get_default_device();
#pragma omp target
    change_settings();
    CHECK_EQ(omp_get_max_threads(), threads);
    CHECK_EQ(omp_get_max_active_levels(), levels);
    CHECK_EQ(omp_get_default_device(), device);
}

// Apart, because GCC warns of a target construct that it sees inside another.
static void count_apart(int* x) {
#pragma omp target map(tofrom : x[ : 1])
    {
        check_apart();
        ++*x;
    }
}

static void target_in_target(void) {
    int x = 0;
#pragma omp target map(tofrom : x)
    {
        omp_set_num_threads(5);
        count_apart(&x);
        CHECK_EQ(omp_get_max_threads(), 5);
    }
    CHECK_EQ(x, 1);
}

static void keeps_place(void) {
    int thread = omp_get_thread_num(), level = omp_get_level(), size = omp_get_num_threads();
    region_inside();
    settings_end();
    target_in_target();
    CHECK_EQ(omp_get_thread_num(), thread);
    CHECK_EQ(omp_get_level(), level);
    CHECK_EQ(omp_get_num_threads(), size);
}

int main(void) {
    keeps_place();
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
        {
            keeps_place();
#pragma omp barrier
#pragma omp task
            keeps_place();
        }
    }
}
