// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_CANCELLATION=true
// stock: fails, a thread that waits starts no unrelated task
//
// A taskgroup and a region are cancelled while tasks wait in them. The waiting tasks run to their
// ends; tasks that have not started do not start.
#include "../task/suspended.h"

enum { TASKS = 8 };

static struct gate gates[TASKS];
static int waiting, passed, cancelled, not_reached;

static void wait_in_tasks(void) {
    for (int i = 0; i < TASKS; i++) {
#pragma omp task untied
        {
            __atomic_fetch_add(&waiting, 1, __ATOMIC_RELEASE);
            gate_pass(&gates[i], TASKWAIT);
            __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
        }
    }
}

static void open_all(void) {
    for (int i = 0; i < TASKS; i++)
        gate_open(&gates[i]);
}

static void begin(void) {
    memset(gates, 0, sizeof gates);
    waiting = passed = cancelled = not_reached = 0;
}

static void cancel_taskgroup(void) {
    begin();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied // outside of the group
        {
            yield_until(&cancelled, 1);
            open_all();
        }
#pragma omp taskgroup
        {
            wait_in_tasks();
#pragma omp task untied
            {
                yield_until(&waiting, TASKS);
                for (int i = 0; i < TASKS; i++)
                    yield_until(&gates[i].begun, 1);
                __atomic_store_n(&cancelled, 1, __ATOMIC_RELEASE);
#pragma omp cancel taskgroup
                not_reached = 1;
            }
        }
    }
    CHECK_EQ(passed, TASKS);
    CHECK_EQ(not_reached, 0);
}

// One thread cancels the region, and another one has all the tasks.
static void cancel_parallel(void) {
    static int ready;
    begin();
    ready = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_num_threads() > 1) {
        if (omp_get_thread_num() == 0) {
#pragma omp task untied
            {
                yield_until(&waiting, TASKS);
                for (int i = 0; i < TASKS; i++)
                    yield_until(&gates[i].begun, 1);
                __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
                yield_until(&cancelled, 1);
                open_all();
            }
            wait_in_tasks();
            check_wait_for(&ready, 1);
        } else {
#pragma omp barrier
        }
        __atomic_store_n(&cancelled, 1, __ATOMIC_RELEASE);
#pragma omp cancel parallel
        not_reached = 1;
    } else {
        passed = TASKS;
    }
    CHECK_EQ(passed, TASKS);
    CHECK_EQ(not_reached, 0);
}

int main(void) {
    cancel_taskgroup();
    cancel_parallel();
}
