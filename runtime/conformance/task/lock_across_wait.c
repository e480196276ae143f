// SPDX-License-Identifier: Apache-2.0
//
// A task holds a lock while it waits for children that it created before it took the lock and that
// do not need the lock. All other threads are busy and take none of the children, so the thread of
// the waiting task runs them.
#include "check.h"

enum { ROUNDS = 20, CHILDREN = 12 };

static omp_lock_t lock;
static int counted, done, handed;
static char data[CHILDREN], last;
static omp_event_handle_t event;

static void count(void) { __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED); }

static void create_children(void) {
    for (int i = 0; i < CHILDREN; i++) {
#pragma omp task depend(inout : data[i]) depend(in : last)
        count();
    }
}

static void hold_across_taskwait(void) {
    create_children();
    omp_set_lock(&lock);
#pragma omp taskwait
    omp_unset_lock(&lock);
}

// The last comes after all the others.
static void hold_across_dependence(void) {
    create_children();
    omp_set_lock(&lock);
#pragma omp task depend(out : last)
    count();
#pragma omp taskwait depend(in : last)
    omp_unset_lock(&lock);
}

static void hold_across_group(void) {
#pragma omp taskgroup
    {
        create_children();
        omp_set_lock(&lock);
    }
    omp_unset_lock(&lock);
}

static void spin(void) { check_wait_for(&done, 1); }
static void yield(void) {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
    }
}

// Waits for a child that ends when the holder says so.
static void wait_for_event(void) {
    omp_event_handle_t mine;
#pragma omp task detach(mine)
    {
        event = mine;
        __atomic_store_n(&handed, 1, __ATOMIC_RELEASE);
    }
#pragma omp taskwait
}

static void (*const holds[])(void) = {hold_across_taskwait, hold_across_dependence, hold_across_group};
static void (*const busy[])(void) = {spin, yield};
enum { HOLDS = sizeof holds / sizeof *holds, BUSY = sizeof busy / sizeof *busy };

static void others_are_busy(int round) {
    done = counted = 0;
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0) {
            holds[round % HOLDS]();
            __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
        } else {
            busy[round / HOLDS % BUSY]();
        }
    }
    CHECK_EQ(counted, CHILDREN + (round % HOLDS == 1));
}

// The others wait, and may run nothing of the holder's.
static void another_waits(void) {
    if (omp_get_max_threads() == 1) return;
    counted = handed = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            check_wait_for(&handed, 1);
            hold_across_taskwait();
            omp_fulfill_event(event);
        } else {
            wait_for_event();
        }
    }
    CHECK_EQ(counted, CHILDREN);
}

int main(void) {
    omp_init_lock(&lock);
    for (int round = 0; round < ROUNDS; round++) {
        others_are_busy(round);
        another_waits();
    }
    omp_destroy_lock(&lock);
    return 0;
}
