// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// stock: fails, a running task keeps its thread
//
// A task of high priority becomes ready while the other thread waits for a lock above a suspended
// task. It preempts the task that gets the lock, once that task has released it.
#include "../task/suspended.h"

enum { ROUNDS = 10 };

static omp_lock_t lock;
static struct gate gates[ROUNDS];
static int arrived, urgent;

static void wait_and_run(int round) {
    volatile double sum = 0;
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    while (__atomic_load_n(&urgent, __ATOMIC_ACQUIRE) <= round)
        sum += 1;
}

int main(void) {
    omp_init_lock(&lock);
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel
#pragma omp single
        {
            omp_set_lock(&lock);
#pragma omp task untied
            gate_pass(&gates[round], TASKWAIT);
            check_wait_for(&gates[round].begun, 1); // on the other thread
#pragma omp task
            wait_and_run(round);
            check_wait_for(&arrived, round + 1);
            usleep(5000); // until the other thread sleeps
#pragma omp task priority(9)
            __atomic_fetch_add(&urgent, 1, __ATOMIC_RELEASE);
            omp_unset_lock(&lock);
            check_wait_for(&urgent, round + 1);
            gate_open(&gates[round]);
        }
    }
    CHECK_EQ(urgent, ROUNDS);
    return 0;
}
