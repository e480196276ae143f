// SPDX-License-Identifier: Apache-2.0
//
// A creator that holds a lock creates tasks that need the lock, as many as libgomp allows a team to
// queue. The creator must not run any of them while it holds the lock.
#include "check.h"

enum { kPerMember = 60, kBytes = 4096 };

static void run(omp_lock_t* lock, int tasks) {
    int ran = 0;
#pragma omp parallel
#pragma omp single
    {
        omp_set_lock(lock);
        for (int i = 0; i < tasks; i++) {
            char data[kBytes];
            memset(data, i, sizeof data);
#pragma omp task firstprivate(data) shared(ran)
            {
                omp_set_lock(lock);
                ran += data[0] == data[kBytes - 1];
                omp_unset_lock(lock);
            }
#pragma omp task shared(ran)
            {
                omp_set_lock(lock);
                ran++;
                omp_unset_lock(lock);
            }
        }
        omp_unset_lock(lock);
    }
    CHECK_EQ(ran, 2 * tasks);
}

int main(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    run(&lock, kPerMember * omp_get_max_threads() / 2);
    omp_destroy_lock(&lock);
    return 0;
}
