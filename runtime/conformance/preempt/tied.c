// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// stock: fails, a running task keeps its thread
//
// A tied task computes until tied tasks of two higher priorities have run, each of which preempts
// the task below it. All of them create tied children and wait for these; a preempted task does so
// after it has been resumed. No other thread can run the high tasks: the thread that creates them
// waits outside of tasks, and runs only their children.
#include "check.h"

enum { ROUNDS = 200, CHILDREN = 3 };

static int begun, served, grandchildren;

static void compute_until(const int* count, int wanted) {
    volatile double sum = 0;
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted)
        sum += 1;
}

static void wait_for_children(int priority) {
    for (int child = 0; child < CHILDREN; ++child) {
#pragma omp task priority(priority)
        {
#pragma omp task priority(priority)
            __atomic_fetch_add(&grandchildren, 1, __ATOMIC_RELAXED);
#pragma omp taskwait
        }
    }
#pragma omp taskwait
}

static void begin(void) { __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE); }
static void serve(void) { __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE); }

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; ++round) {
        const int before = 2 * round;
#pragma omp task priority(1) firstprivate(before)
        {
            begin();
            compute_until(&served, before + 2);
            wait_for_children(1);
        }
        check_wait_for(&begun, before + 1);
#pragma omp task priority(3) firstprivate(before)
        {
            begin();
            compute_until(&served, before + 1);
            wait_for_children(3);
            serve();
        }
        check_wait_for(&begun, before + 2);
#pragma omp task priority(5)
        {
            wait_for_children(5);
            serve();
        }
        check_wait_for(&served, before + 2);
#pragma omp taskwait
    }
    CHECK_EQ(served, 2 * ROUNDS);
    CHECK_EQ(grandchildren, 3 * CHILDREN * ROUNDS);
    return 0;
}
