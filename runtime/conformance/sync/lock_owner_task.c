// SPDX-License-Identifier: Apache-2.0
//
// Locks belong to tasks: if one task owns a nestable lock, another task on the same thread does not
// own it.
#include "check.h"

int main(void) {
    omp_nest_lock_t nest;
    omp_init_nest_lock(&nest);
#pragma omp parallel
#pragma omp single
    {
        omp_set_nest_lock(&nest);
#pragma omp task if (0)
        CHECK_EQ(omp_test_nest_lock(&nest), 0);
        CHECK_EQ(omp_test_nest_lock(&nest), 2);
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
#pragma omp task
        {
            omp_set_nest_lock(&nest);
            CHECK_EQ(omp_test_nest_lock(&nest), 2);
            omp_unset_nest_lock(&nest);
            omp_unset_nest_lock(&nest);
        }
#pragma omp taskwait
        CHECK_EQ(omp_test_nest_lock(&nest), 1);
        omp_unset_nest_lock(&nest);
    }
    omp_destroy_nest_lock(&nest);
}
