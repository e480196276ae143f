// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
//
// A detached task is complete when its event is fulfilled and its body has ended, in either order.
// The event is fulfilled from the task's own body or from another task; the task is awaited by
// taskwait, taskgroup, dependences and barrier. The program is compiled without optimisation,
// because GCC 12 otherwise overlooks that the runtime writes the handle.
#include "check.h"

enum { ROUNDS = 50 };

static void fulfil_from_own_body(void) {
    int x = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
    {
        omp_fulfill_event(event);
        x = 1;
    }
#pragma omp task depend(in : x) shared(x)
    CHECK_EQ(x, 1);
#pragma omp taskwait
    CHECK_EQ(x, 1);
}

static void fulfil_from_other_task(void) {
    int x, order = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x)
    {
    }
#pragma omp task depend(in : x) shared(order)
    CHECK_EQ(__atomic_load_n(&order, __ATOMIC_ACQUIRE), 1);
#pragma omp task firstprivate(event) shared(order)
    {
        __atomic_store_n(&order, 1, __ATOMIC_RELEASE);
        omp_fulfill_event(event);
    }
#pragma omp taskwait
    CHECK_EQ(order, 1);
}

static void awaited_by_taskgroup(void) {
    int fulfilled = 0;
    omp_event_handle_t event;
#pragma omp taskgroup
    {
#pragma omp task detach(event)
        {
        }
#pragma omp task firstprivate(event) shared(fulfilled)
        {
            __atomic_store_n(&fulfilled, 1, __ATOMIC_RELEASE);
            omp_fulfill_event(event);
        }
    }
    CHECK_EQ(fulfilled, 1);
}

int main(void) {
    int at_barrier = 0;
#pragma omp parallel
    {
#pragma omp single
        for (int round = 0; round < ROUNDS; round++) {
            fulfil_from_own_body();
            fulfil_from_other_task();
            awaited_by_taskgroup();
        }
#pragma omp single nowait
        {
            omp_event_handle_t event;
#pragma omp task detach(event)
            {
            }
#pragma omp task firstprivate(event) shared(at_barrier)
            {
                at_barrier = 1;
                omp_fulfill_event(event);
            }
        }
#pragma omp barrier
        CHECK_EQ(at_barrier, 1);
    }
}
