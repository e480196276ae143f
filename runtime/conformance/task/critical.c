// SPDX-License-Identifier: Apache-2.0
//
// Tests critical regions, locks and atomics inside tasks that many threads create.
#include "check.h"

enum { TASKS = 100 };

int main(void) {
    int size = omp_get_max_threads();
    long critical = 0, locked = 0, atomic = 0;
    omp_lock_t lock;
    omp_set_dynamic(0);
    omp_init_lock(&lock);
#pragma omp parallel
    for (int i = 0; i < TASKS; i++) {
#pragma omp task shared(critical, locked, atomic, lock)
        {
#pragma omp critical
            check_slow_increment(&critical);
            omp_set_lock(&lock);
            check_slow_increment(&locked);
            omp_unset_lock(&lock);
#pragma omp atomic
            atomic++;
        }
    }
    CHECK_EQ(critical, (long)size * TASKS);
    CHECK_EQ(locked, (long)size * TASKS);
    CHECK_EQ(atomic, (long)size * TASKS);
    omp_destroy_lock(&lock);
}
