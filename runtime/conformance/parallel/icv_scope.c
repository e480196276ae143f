// SPDX-License-Identifier: Apache-2.0
//
// A setting made inside a region belongs to the task that made it. The regions and tasks that this
// task starts inherit the setting.
#include "check.h"

int main(void) {
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    omp_set_num_threads(4);
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num();
        CHECK_EQ(omp_get_max_threads(), 4);
        omp_set_num_threads(me + 1);
        omp_set_schedule(omp_sched_dynamic, me + 5);
#pragma omp barrier
        CHECK_EQ(omp_get_max_threads(), me + 1);
#pragma omp parallel
        {
            omp_sched_t kind;
            int chunk;
            CHECK_EQ(omp_get_num_threads(), me + 1);
            omp_get_schedule(&kind, &chunk);
            CHECK_EQ(chunk, me + 5);
        }
    }
    CHECK_EQ(omp_get_max_threads(), 4);
}
