// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
//
// A tied task holds a lock, fulfils the event of an unrelated task, and waits. The task that
// becomes ready needs the lock and does not descend from the waiting task, so no wait of that task
// may start it. Each kind of wait is tried many times.
#include "check.h"

enum { ROUNDS = 40 };

static omp_lock_t lock;
static int entered;

static void enter(void) {
    omp_set_lock(&lock);
    entered++;
    omp_unset_lock(&lock);
}

static void child(int* done) {
#pragma omp task firstprivate(done) depend(out : *done)
    __atomic_store_n(done, 1, __ATOMIC_RELEASE);
}

static void fulfil_and_wait(omp_event_handle_t event, int kind) {
    int done = 0;
    if (kind == 0) {
        child(&done);
        omp_fulfill_event(event);
#pragma omp taskwait
    } else if (kind == 1) {
#pragma omp taskgroup
        {
            child(&done);
            omp_fulfill_event(event);
        }
    } else if (kind == 2) {
        child(&done);
        omp_fulfill_event(event);
#pragma omp taskwait depend(in : done)
    } else {
        child(&done);
        omp_fulfill_event(event);
#pragma omp task if (0) depend(in : done)
        {
        }
    }
    CHECK_EQ(__atomic_load_n(&done, __ATOMIC_ACQUIRE), 1);
}

static void round_of(int kind) {
    int x, body_over = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(body_over)
    __atomic_store_n(&body_over, 1, __ATOMIC_RELEASE);
#pragma omp task depend(in : x)
    enter();
    // Best if the detached body is over by then, so that it is the fulfilment which makes the other
    // task ready. It need not be.
    for (int i = 0; i < 200 && !__atomic_load_n(&body_over, __ATOMIC_ACQUIRE); i++) {
#pragma omp taskyield
        sched_yield();
    }
#pragma omp task firstprivate(event)
    {
        omp_set_lock(&lock);
        fulfil_and_wait(event, kind);
        omp_unset_lock(&lock);
    }
#pragma omp taskwait
}

int main(void) {
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; round++)
        round_of(round % 4);
    CHECK_EQ(entered, ROUNDS);
}
