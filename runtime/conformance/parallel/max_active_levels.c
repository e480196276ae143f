// SPDX-License-Identifier: Apache-2.0
//
// Beyond the limit of active levels a region has one thread, and still counts as a level.
#include "check.h"

static void check_limit(int limit) {
    omp_set_max_active_levels(limit);
    CHECK_EQ(omp_get_max_active_levels(), limit);
#pragma omp parallel num_threads(2)
    {
        CHECK_EQ(omp_get_num_threads(), limit >= 1 ? 2 : 1);
#pragma omp parallel num_threads(2)
        {
            CHECK_EQ(omp_get_num_threads(), limit >= 2 ? 2 : 1);
            CHECK_EQ(omp_get_level(), 2);
            CHECK_EQ(omp_get_active_level(), limit > 2 ? 2 : limit);
            CHECK_EQ(omp_in_parallel(), limit > 0);
        }
    }
}

int main(void) {
    omp_set_dynamic(0);
    CHECK(omp_get_supported_active_levels() >= 3);
    for (int limit = 3; limit >= 0; limit--)
        check_limit(limit);
    omp_set_max_active_levels(1);
    omp_set_max_active_levels(-4);
    CHECK_EQ(omp_get_max_active_levels(), 1);
}
