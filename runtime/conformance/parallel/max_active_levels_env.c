// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_ACTIVE_LEVELS=2 OMP_NUM_THREADS=3,2
//
// A list in OMP_NUM_THREADS gives the number of threads of each nesting level, and
// OMP_MAX_ACTIVE_LEVELS limits the number of active levels.
#include "check.h"

int main(void) {
    omp_set_dynamic(0);
    CHECK_EQ(omp_get_max_active_levels(), 2);
    CHECK_EQ(omp_get_max_threads(), 3);
#pragma omp parallel
    {
        CHECK_EQ(omp_get_num_threads(), 3);
        CHECK_EQ(omp_get_max_threads(), 2);
#pragma omp parallel
        {
            CHECK_EQ(omp_get_num_threads(), 2);
#pragma omp parallel
            CHECK_EQ(omp_get_num_threads(), 1);
        }
    }
}
