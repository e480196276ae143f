// SPDX-License-Identifier: Apache-2.0
//
// Tests taskyield in many tasks, some of which hold a lock, or are in a critical region, for which
// other tasks wait. On top of a tied task only its own descendants may run, so no thread waits for
// a lock that it holds itself.
#include "check.h"

enum { TASKS = 200 };

int main(void) {
    int in_critical = 0, in_lock = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task shared(in_critical, in_lock, lock)
        {
#pragma omp taskyield
#pragma omp critical
            {
                int before = in_critical;
#pragma omp taskyield
                CHECK_EQ(in_critical, before);
                sched_yield();
                in_critical = before + 1;
            }
            omp_set_lock(&lock);
            int before = in_lock;
#pragma omp taskyield
            sched_yield();
            in_lock = before + 1;
            omp_unset_lock(&lock);
        }
    }
    CHECK_EQ(in_critical, TASKS);
    CHECK_EQ(in_lock, TASKS);
    omp_destroy_lock(&lock);
}
