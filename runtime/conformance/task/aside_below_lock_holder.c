// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 TEFF_DEQUE_LIMIT=2
//
// A task that holds a lock waits for its child. The child's own children do not fit into the queue,
// so the child runs one of them itself. When they have ended, the lock holder's wait ends.
#include "check.h"

#include <unistd.h>

static omp_lock_t lock;
static int begun, done, ended;
static char data;

static void end_late(void) {
    __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    usleep(50000);
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
}

static void create_beyond_queue(void) {
#pragma omp taskyield
    for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i)
        if (i == 2) {
            check_wait_for(&done, 1);
            usleep(20000);
        }
    }
#pragma omp taskwait
    __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
}

int main(void) {
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    {
        omp_set_lock(&lock);
#pragma omp task depend(out : data)
        end_late();
        check_wait_for(&begun, 1);
#pragma omp task
        create_beyond_queue();
#pragma omp taskwait depend(in : data)
#pragma omp taskwait
        CHECK_EQ(ended, 1);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return 0;
}
