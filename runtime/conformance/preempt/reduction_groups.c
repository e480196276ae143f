// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
//
// Tasks of a priority wait for the tasks of task reductions, and a task of a higher priority than
// theirs is created within each. The tasks that one of them waits for are then queued among those
// of others, which are suspended on the same thread.
#include "check.h"

enum { TASKS = 200, PARTS = 2 };

static int done;

static void part(void) { __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED); }

static void reduce(void) {
    long sum = 0;
#pragma omp taskloop grainsize(1) reduction(+ : sum)
    for (int i = 0; i < 1; ++i) {
        sum += 1;
#pragma omp task priority(4)
        for (int k = 0; k < PARTS; ++k) {
#pragma omp task
            part();
        }
    }
    CHECK(sum == 1);
}

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; ++i) {
#pragma omp task priority(5)
        reduce();
    }
    CHECK(done == TASKS * PARTS);
    return 0;
}
