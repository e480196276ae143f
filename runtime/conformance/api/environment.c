// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=12 OMP_DYNAMIC=false OMP_PROC_BIND=false OMP_STACKSIZE=4M OMP_WAIT_POLICY=passive OMP_NUM_TEAMS=5 OMP_TEAMS_THREAD_LIMIT=3 OMP_NUM_THREADS=6
//
// The enquiry functions return the values that the environment sets.
#include "check.h"

int main(void) {
    CHECK(omp_get_cancellation());
    CHECK_EQ(omp_get_max_task_priority(), 12);
    CHECK_EQ(omp_get_dynamic(), 0);
    CHECK_EQ(omp_get_proc_bind(), omp_proc_bind_false);
    CHECK_EQ(omp_get_max_threads(), 6);
    CHECK_EQ(omp_get_max_teams(), 5);
    CHECK_EQ(omp_get_teams_thread_limit(), 3);
#pragma omp parallel
    {
        // OMP_STACKSIZE leaves room for this on every worker.
        volatile char big[3 << 20];
        big[0] = big[sizeof big - 1] = 1;
        CHECK_EQ(big[0], 1);
        CHECK_EQ(omp_get_num_threads(), 6);
    }
}
