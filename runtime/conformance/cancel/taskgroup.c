// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true
//
// cancel taskgroup: tasks of the group that have not begun are discarded, and those that have begun
// end at their next cancellation point. Tasks outside of the group are not affected. The same holds
// for tasks with dependences.
#include "check.h"

enum { TASKS = 500 };

static void cancel_first(void) {
    int begun = 0, outside = 0;
#pragma omp task shared(outside)
    {
#pragma omp atomic write
        outside = 1;
    }
#pragma omp taskgroup
    {
        for (int i = 0; i < TASKS; i++) {
#pragma omp task shared(begun) depend(inout : begun)
            {
#pragma omp atomic
                begun++;
                if (i == 3) {
#pragma omp cancel taskgroup
                    CHECK(!"went on after cancel");
                }
            }
        }
    }
    // The dependence puts them in order, so exactly four began.
    CHECK_EQ(begun, 4);
#pragma omp taskwait
    CHECK_EQ(outside, 1);
}

static void cancellation_points(void) {
    int cancelled = 0, spinning = 0;
#pragma omp taskgroup
    {
        for (int i = 0; i < 4; i++) {
#pragma omp task shared(spinning)
            for (;;) {
                __atomic_store_n(&spinning, 1, __ATOMIC_RELEASE);
#pragma omp cancellation point taskgroup
                sched_yield();
            }
        }
        // One thread at least is free for the tasks above: the group's own waits here to cancel
        // them.
#pragma omp task shared(cancelled, spinning) if (0)
        {
            check_wait_for(&spinning, 1);
            cancelled = 1;
#pragma omp cancel taskgroup
        }
    }
    CHECK_EQ(cancelled, 1);
}

static void later_groups_are_whole(void) {
    int count = 0;
#pragma omp taskgroup
    for (int i = 0; i < 50; i++) {
#pragma omp task shared(count)
        {
#pragma omp atomic
            count++;
        }
    }
    CHECK_EQ(count, 50);
}

int main(void) {
#pragma omp parallel num_threads(omp_get_max_threads() + 1)
#pragma omp single
    for (int round = 0; round < 20; round++) {
        cancel_first();
        cancellation_points();
        later_groups_are_whole();
    }
}
