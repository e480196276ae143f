// SPDX-License-Identifier: Apache-2.0
//
// Two threads run a loop of two iterations. The thread of the second iteration creates a task and
// waits for its turn. Meanwhile the other thread stays in its ordered region, without a task
// scheduling point.
#ifndef CONFORMANCE_ORDERED_BESIDE_H
#define CONFORMANCE_ORDERED_BESIDE_H

#include "check.h"

static int first_iteration_waits_for_task; // else for a while
static int created, ran, ran_in_between, next;

static int load(const int* flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }

static void await(const int* flag) {
    while (!load(flag))
        sched_yield();
}

static void create_task(void) {
#pragma omp task
    __atomic_store_n(&ran, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&created, 1, __ATOMIC_RELEASE);
}

static void keep_turn(void) {
    await(&created);
    if (first_iteration_waits_for_task) await(&ran);
    else usleep(20000);
    ran_in_between = load(&ran);
}

static void run_loop(void) {
#pragma omp parallel num_threads(2)
    {
        CHECK_EQ(omp_get_num_threads(), 2);
#pragma omp for schedule(static, 1) ordered
        for (int i = 0; i < 2; i++) {
            if (i == 1) create_task();
#pragma omp ordered
            {
                CHECK_EQ(next, i);
                if (i == 0) keep_turn();
                __atomic_store_n(&next, i + 1, __ATOMIC_RELEASE);
            }
        }
    }
    CHECK_EQ(next, 2);
    CHECK_EQ(ran, 1);
}

#endif
