// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable
//
// A task holds a lock while it waits for its children, which may wait and yield. On the task's
// thread, a task that does not descend from it neither starts nor continues, because it may need
// the lock. Each descendant continues on the thread on which it was suspended.
#include "check.h"

#include <unistd.h>

enum { ROUNDS = 10 };

static omp_lock_t lock;
static int begun, done, counted;

static void count(void) { __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED); }

static void take_lock(void) {
    omp_set_lock(&lock);
    count();
    omp_unset_lock(&lock);
}

static void yield_times(int times) {
    for (int i = 0; i < times; i++) {
#pragma omp taskyield
    }
}

// On another thread.
static void end_late(void) {
    __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    usleep(2000);
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    count();
}
static void parent_wants_it(void) {
    static int late, data;
#pragma omp task depend(out : late)
    end_late();
    check_wait_for(&begun, 1);
#pragma omp task
    {
        omp_set_lock(&lock);
#pragma omp task depend(out : data)
        {
            yield_times(100);
            count();
        }
#pragma omp taskwait depend(in : data)
        omp_unset_lock(&lock);
    }
#pragma omp taskwait depend(in : late)
    take_lock();
#pragma omp taskwait
    CHECK_EQ(counted, 3);
}

// The creator is ahead of its dependent children.
static void flood(void) {
    enum { CHILDREN = 1000 };
    static int data[50];
    omp_set_lock(&lock);
    for (int i = 0; i < CHILDREN; i++) {
#pragma omp task depend(inout : data[i % 50])
        {
#pragma omp task
            count();
#pragma omp taskwait
        }
        if (i % 100 == 0) {
#pragma omp task untied
            take_lock();
        }
    }
    omp_unset_lock(&lock);
#pragma omp taskwait
    CHECK_EQ(counted, CHILDREN + CHILDREN / 100);
}

// The suspended task that the group waits for has lost its chain of parents.
static void grandchild_is_suspended(void) {
    omp_set_lock(&lock);
#pragma omp taskgroup
    {
        static int late;
#pragma omp task depend(out : late)
        end_late();
        check_wait_for(&begun, 1);
#pragma omp task
        {
#pragma omp task
            {
#pragma omp task
                {
                    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
                    }
                    yield_times(4);
                    count();
                }
                yield_times(3);
            }
        }
#pragma omp taskwait depend(in : late)
        for (int i = 0; i < 20; i++) { // takes the blocks of those that have ended
#pragma omp task
            count();
        }
    }
    omp_unset_lock(&lock);
    CHECK_EQ(counted, 22);
}

static void (*const cases[])(void) = {flood, parent_wants_it, grandchild_is_suspended};
enum { CASES = sizeof cases / sizeof *cases, FOR_ONE_THREAD = 1 };

int main(void) {
    omp_init_lock(&lock);
    const int some = omp_get_max_threads() == 1 ? FOR_ONE_THREAD : CASES;
    for (int i = 0; i < ROUNDS * some; i++) {
        counted = begun = done = 0;
#pragma omp parallel
#pragma omp single
        cases[i % some]();
    }
    omp_destroy_lock(&lock);
}
