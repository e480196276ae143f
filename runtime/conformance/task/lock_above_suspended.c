// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2
// stock: fails, untied tasks keep their thread
//
// A task waits for a lock on a thread on which an untied task is suspended. The holder of the lock
// waits for the untied task, which only this thread can continue.
#include "check.h"

enum { ROUNDS = 4 };

static omp_lock_t lock;
static omp_event_handle_t event;
static int begun, arrived, ended, entered;

static void suspend(void) {
    omp_event_handle_t own;
#pragma omp task detach(own)
    {
        event = own;
        __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
    }
#pragma omp taskwait
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
}

static void enter(void) {
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
    omp_set_lock(&lock);
    entered++;
    omp_unset_lock(&lock);
}

int main(void) {
    omp_init_lock(&lock);
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel
#pragma omp single
        {
            omp_set_lock(&lock);
#pragma omp task untied depend(out : ended)
            suspend();
            check_wait_for(&begun, round + 1); // on the other thread
#pragma omp task
            enter();
            check_wait_for(&arrived, round + 1);
            omp_fulfill_event(event);
#pragma omp taskwait depend(in : ended)
            omp_unset_lock(&lock);
        }
    }
    CHECK_EQ(ended, ROUNDS);
    CHECK_EQ(entered, ROUNDS);
    return 0;
}
