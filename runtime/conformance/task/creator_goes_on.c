// SPDX-License-Identifier: Apache-2.0
// env: OMP_STACKSIZE=64k
// flags: -Wno-unused-variable
// stock: fails, a thread that waits starts no unrelated task
//
// A task's children may start wherever it can be left; where it does not wait for their ends, they
// may wait for what it does next: it goes on before them, on one thread, too.
#include "suspended.h"

#ifdef __SANITIZE_THREAD__ // which keeps a record of its own for each stack
enum { CHILDREN = 300 };
#else
enum { CHILDREN = 3000 }; // more than the creator's queue takes, or are let wait for dependences
#endif

static int passed;

static void wait_for(const int* opened) {
    yield_until(opened, 1);
    __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
}

static void create_many(void) {
    static int opened;
    for (int i = 0; i < CHILDREN; i++) {
#pragma omp task
        wait_for(&opened);
    }
    __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
    CHECK_EQ(passed, CHILDREN);
}

static void create_many_dependent(void) {
    static int opened, data[CHILDREN];
    for (int i = 0; i < CHILDREN; i++) {
#pragma omp task depend(out : data[i])
        wait_for(&opened);
    }
    __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
    CHECK_EQ(passed, CHILDREN);
}

static void yield(void) {
    static int opened;
#pragma omp task
    wait_for(&opened);
    for (int i = 0; i < 100; i++) {
#pragma omp taskyield
    }
    __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
    CHECK_EQ(passed, 1);
}

// The child that does not end before the creator goes on is the newer one, and may start first.
static void wait_for_another(int undeferred) {
    static int opened, done, data;
    opened = done = 0;
#pragma omp task untied depend(out : data)
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
#pragma omp task
    wait_for(&opened);
    if (undeferred) {
#pragma omp task if (0) depend(in : data)
        CHECK_EQ(done, 1);
    } else {
#pragma omp taskwait depend(in : data)
        CHECK_EQ(done, 1);
    }
    __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
    CHECK_EQ(passed, 1);
}

static void by_taskwait(void) { wait_for_another(0); }
static void by_undeferred_task(void) { wait_for_another(1); }

static void (*const creators[])(void) = {create_many, create_many_dependent, yield, by_taskwait, by_undeferred_task};

int main(void) {
    for (unsigned i = 0; i < sizeof creators / sizeof *creators; i++) {
        passed = 0;
#pragma omp parallel
#pragma omp single
        creators[i]();
    }
}
