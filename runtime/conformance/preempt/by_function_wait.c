// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// stock: fails, a running task keeps its thread
// emulated: follows the code of x86-64; on AArch64 such a program is not preempted
//
// A tied task that uses a thread-local variable waits for its child. The child uses none, and so
// could be preempted. But unrelated tasks must not start in its place, neither tied ones nor untied
// ones with tied children, as they would change the variable before the waiting task goes on.
#include "check.h"

enum { ROUNDS = 60 };

static __thread int counter;
static int begun, created, served, disturbed;

static void compute_for_a_while(void) {
    for (volatile int i = 0; i < 300000; ++i) {
    }
}

static void wait_on_thread(void) {
    const int before = ++counter;
#pragma omp task priority(2)
    {
        __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&created, __ATOMIC_ACQUIRE) < __atomic_load_n(&begun, __ATOMIC_ACQUIRE)) {
        }
        compute_for_a_while();
    }
#pragma omp taskwait
    if (counter != before) __atomic_fetch_add(&disturbed, 1, __ATOMIC_RELAXED);
}

static void change(void) {
    counter += 1000;
    __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE);
}

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp task priority(1)
        wait_on_thread();
        check_wait_for(&begun, round + 1);
        if (round % 2 == 0) {
#pragma omp task priority(5)
            change();
        } else {
#pragma omp task untied priority(5)
            {
#pragma omp task priority(5)
                change();
#pragma omp taskwait
            }
        }
        __atomic_store_n(&created, round + 1, __ATOMIC_RELEASE);
        check_wait_for(&served, round + 1);
    }
    CHECK_EQ(served, ROUNDS);
    CHECK_EQ(disturbed, 0);
    return 0;
}
