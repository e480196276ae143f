// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// stock: fails, a running task keeps its thread
//
// A task of low priority computes until a task of high priority has run. The second task becomes
// ready during the computation, and no other thread can run it, because the thread that makes it
// ready waits without a task scheduling point. In one case this task becomes ready when it is
// created, in the other when its last dependence is fulfilled.
#include "check.h"

enum { ROUNDS = 50 };

static int begun, served;
static char data;

static void compute_until(const int* count, int wanted) {
    volatile double sum = 0;
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted)
        sum += 1;
}

static void serve(void) { __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE); }

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp task untied priority(1)
        {
            __atomic_store_n(&begun, round + 1, __ATOMIC_RELEASE);
            compute_until(&served, 2 * round + 2);
        }
        check_wait_for(&begun, round + 1);
        if (round % 2 == 0) {
#pragma omp task untied priority(5)
            serve();
        } else {
#pragma omp task untied priority(3) depend(out : data)
            data = 1;
#pragma omp task untied priority(4) depend(in : data)
            serve();
        }
        check_wait_for(&served, 2 * round + 1);
#pragma omp task priority(9) // tied: no tied task is suspended on that thread
        serve();
        check_wait_for(&served, 2 * round + 2);
    }
    CHECK_EQ(served, 2 * ROUNDS);
    return 0;
}
