// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable
//
// A task creates a child that needs a lock, then takes the lock, and holds it while it waits for a
// younger child. The younger child runs first on the task's thread. libgomp and work stealing have
// this order; the specification does not require it.
#include "check.h"

enum { ROUNDS = 40 };

static omp_lock_t lock;
static int counted;

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

static void wait_for_the_younger(void) {
    static int data;
#pragma omp task untied
    take_lock();
    omp_set_lock(&lock);
#pragma omp task depend(out : data)
    {
        yield_times(4);
        count();
    }
#pragma omp taskwait depend(in : data)
    omp_unset_lock(&lock);
#pragma omp taskwait
    CHECK_EQ(counted, 2);
}

int main(void) {
    omp_init_lock(&lock);
    for (int i = 0; i < ROUNDS; i++) {
        counted = 0;
#pragma omp parallel
#pragma omp single
        wait_for_the_younger();
    }
    omp_destroy_lock(&lock);
    return 0;
}
