// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_DEQUE_LIMIT=4 TEFF_PREEMPT=off TEFF_UNTIED=migrate
// stock: fails, a creator whose queue is full runs the new task although a higher one waits
//
// An untied task whose queue is full gives way to a task of a higher priority in the middle of a
// creation. The other thread waits at the barrier meanwhile and may take untied tasks that wait,
// but not this one: it continues on its thread.
#include <unistd.h>

#include "check.h"

enum { CHILDREN = 40, ROUNDS = 50 };

static int has_begun, is_queued, has_started, ran;

static void set(int* flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }
static void await(int* flag) {
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {
    }
}

static void run_long(void) {
    set(&has_started);
    usleep(2000); // the other thread looks for work now
}

static void create(void) {
    const int thread = omp_get_thread_num();
    set(&has_begun);
    await(&is_queued);
    for (int child = 0; child < CHILDREN; ++child) {
#pragma omp task untied priority(1)
        __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
        CHECK_EQ(omp_get_thread_num(), thread);
    }
    CHECK(__atomic_load_n(&has_started, __ATOMIC_ACQUIRE));
}

int main(void) {
    for (int round = 0; round < ROUNDS; ++round) {
        has_begun = is_queued = has_started = 0;
#pragma omp parallel
#pragma omp masked
        {
#pragma omp task untied priority(1)
            create();
            await(&has_begun);
#pragma omp task untied priority(3)
            run_long();
            set(&is_queued);
            await(&has_started); // this thread runs no task before
        }
    }
    CHECK_EQ(ran, ROUNDS * CHILDREN);
    return 0;
}
