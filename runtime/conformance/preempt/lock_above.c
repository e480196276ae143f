// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// stock: fails, a running task keeps its thread
//
// A task preempts another task and then waits for a lock. The holder of the lock waits for the
// preempted task, which only this thread can continue.
#include "check.h"

enum { ROUNDS = 20 };

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static int begun, preempted, entered;

static void take(int kind) {
    if (kind == 0) omp_set_lock(&lock);
    else omp_set_nest_lock(&nest_lock);
}
static void give_back(int kind) {
    if (kind == 0) omp_unset_lock(&lock);
    else omp_unset_nest_lock(&nest_lock);
}

static void child(int round) {
    volatile double sum = 0;
    __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&preempted, __ATOMIC_ACQUIRE) <= round)
        sum += 1;
}

static void urgent(int kind) {
    __atomic_fetch_add(&preempted, 1, __ATOMIC_RELEASE);
    take(kind);
    entered++;
    give_back(kind);
}

int main(void) {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    for (int round = 0; round < ROUNDS; ++round) {
        const int kind = round % 2;
#pragma omp parallel
#pragma omp single
        {
            take(kind);
#pragma omp task depend(out : begun)
            child(round);
            check_wait_for(&begun, round + 1); // on the other thread
#pragma omp task priority(9)
            urgent(kind);
            check_wait_for(&preempted, round + 1);
#pragma omp taskwait depend(in : begun)
            give_back(kind);
        }
    }
    CHECK_EQ(entered, ROUNDS);
    return 0;
}
