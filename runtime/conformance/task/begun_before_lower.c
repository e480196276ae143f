// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=5 TEFF_PREEMPT=off TEFF_UNTIED=stay TEFF_TSC=strict
// flags: -O0
// stock: fails, a task that waits keeps its thread
//
// A task of priority 3 waits, and then can continue. On its thread a task of priority 2 waits for a
// new task of priority 1, 2 or 3. A task of priority 5 is queued, which may not start there: it
// descends from none of the tied tasks of that thread. The task that has begun continues before the
// new task begins, unless the new task is a child of the waiting task and has its priority.
#include "check.h"

static int order[4], count, other_thread_waits, second_begun, queued, ended;
static omp_event_handle_t awaited;

static void note(int what) { order[__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)] = what; }
static void set(int* flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }

static void first(void) {
    omp_event_handle_t event;
#pragma omp task detach(event) priority(3)
    {
    }
    awaited = event;
#pragma omp taskwait
    note(3);
}

static void second(int priority) {
    set(&second_begun);
    check_wait_for(&queued, 1);
#pragma omp task untied priority(priority)
    note(100);
    omp_fulfill_event(awaited);
#pragma omp taskwait
}

static void create_both(int priority) {
#pragma omp task firstprivate(priority)
    {
#pragma omp task untied priority(3)
        first();
#pragma omp task untied priority(2) firstprivate(priority)
        second(priority);
#pragma omp taskwait
    }
#pragma omp taskwait
    set(&ended);
}

static void keep_busy(void) {
    set(&other_thread_waits);
    check_wait_for(&second_begun, 1);
#pragma omp task priority(5)
    note(5);
    set(&queued);
    check_wait_for(&ended, 1);
}

int main(void) {
    for (int priority = 1; priority <= 3; priority++) {
        count = other_thread_waits = second_begun = queued = ended = 0;
#pragma omp parallel
        {
            CHECK_EQ(omp_get_num_threads(), 2);
            if (omp_get_thread_num() == 1) {
                keep_busy();
            } else {
                check_wait_for(&other_thread_waits, 1);
                create_both(priority);
            }
        }
        CHECK_EQ(order[0], 3);
        CHECK_EQ(order[1], 100);
        CHECK_EQ(order[2], 5);
    }
    return 0;
}
