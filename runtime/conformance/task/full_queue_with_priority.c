// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_TASK_PRIORITY=5
//
// A creator that is far ahead of the other threads runs new tasks itself, also if they have a
// priority. So the memory for tasks that have not begun is bounded.
#include "check.h"

enum { TASKS = 30000, MOST = 6000, PER_THREAD = 200 };

static int begun, may_end, ran;

int main(void) {
    const int most = MOST + PER_THREAD * omp_get_max_threads();
#pragma omp parallel
#pragma omp single
    {
        for (int i = 1; i < omp_get_num_threads(); i++) { // the other threads take nothing else meanwhile
#pragma omp task priority(5)
            {
                __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
                check_wait_for(&may_end, 1);
            }
        }
        check_wait_for(&begun, omp_get_num_threads() - 1);
        for (int i = 0; i < TASKS; i++) {
#pragma omp task priority(1)
            __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
            if (i % 64 == 0) sched_yield();
            CHECK(i - __atomic_load_n(&ran, __ATOMIC_RELAXED) <= most);
        }
        __atomic_store_n(&may_end, 1, __ATOMIC_RELEASE);
    }
    CHECK_EQ(ran, TASKS);
    return 0;
}
