// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_DEQUE_LIMIT=4 TEFF_PREEMPT=off
// stock: fails, a creator whose queue is full runs the new task although a higher one waits
//
// An untied task creates more tasks than its queue takes while a task of a higher priority, which
// the other thread has created, is queued. The higher task runs before any of the new ones.
#include "check.h"

enum { CHILDREN = 40, HIGHER = CHILDREN };

static int order[CHILDREN + 1], count;
static int has_begun, is_queued, has_created;

static void note(int what) { order[__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)] = what; }
static void set(int* flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }
static void await(int* flag) {
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {
    }
}

static void create(void) {
    set(&has_begun);
    await(&is_queued);
    for (int child = 0; child < CHILDREN; ++child) {
#pragma omp task untied priority(1) firstprivate(child)
        note(child);
    }
    set(&has_created);
}

int main(void) {
    for (int round = 0; round < 100; ++round) {
        count = has_begun = is_queued = has_created = 0;
#pragma omp parallel
#pragma omp masked
        {
#pragma omp task untied priority(1)
            create();
            await(&has_begun);
#pragma omp task untied priority(3)
            note(HIGHER);
            set(&is_queued);
            await(&has_created); // this thread runs no task
        }
        CHECK_EQ(count, CHILDREN + 1);
        CHECK_EQ(order[0], HIGHER);
    }
    return 0;
}
