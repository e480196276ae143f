// SPDX-License-Identifier: Apache-2.0
//
// Tasks that wait until another task opens a gate for them. On a single thread, this other task has
// to start or continue while they wait. Programs that include this header are compiled without
// optimisation, because GCC 12 otherwise overlooks that the runtime writes the handle of an event.
#ifndef CONFORMANCE_SUSPENDED_H
#define CONFORMANCE_SUSPENDED_H

#include "check.h"

struct gate {
    omp_event_handle_t event;
    int published; // the event is known
    int begun;     // so the child is not cancelled any more
    int opened;
    char child; // dependences on the child are about this
};

// The current task gets a child that ends when the gate is opened.
static inline void gate_close(struct gate* gate) {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : gate -> child)
    __atomic_store_n(&gate->begun, 1, __ATOMIC_RELEASE);
    gate->event = event;
    __atomic_store_n(&gate->published, 1, __ATOMIC_RELEASE);
}

// Gives others their turn until there are that many. Not for a task whose own children wait for it:
// they may run on top of it.
static inline void yield_until(const int* count, int wanted) {
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted) {
#pragma omp taskyield
        sched_yield();
    }
}

static inline void gate_open(struct gate* gate) {
    yield_until(&gate->published, 1);
    __atomic_store_n(&gate->opened, 1, __ATOMIC_RELEASE);
    omp_fulfill_event(gate->event);
}

// The ways in which a task waits for its child.
enum wait { TASKWAIT, TASKGROUP, TASKWAIT_DEPEND, UNDEFERRED, WAITS };

static inline void gate_pass(struct gate* gate, enum wait wait) {
    if (wait == TASKGROUP) {
#pragma omp taskgroup
        gate_close(gate);
    } else {
        gate_close(gate);
    }
    if (wait == TASKWAIT) {
#pragma omp taskwait
    } else if (wait == TASKWAIT_DEPEND) {
#pragma omp taskwait depend(in : gate->child)
    } else if (wait == UNDEFERRED) {
#pragma omp task if (0) depend(in : gate->child)
        CHECK_EQ(__atomic_load_n(&gate->opened, __ATOMIC_ACQUIRE), 1);
    }
    CHECK_EQ(__atomic_load_n(&gate->opened, __ATOMIC_ACQUIRE), 1);
}

#endif
