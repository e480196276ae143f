// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=stress:50us
// stock: fails, a thread that waits starts no unrelated task
//
// An iteration continues in place of a task that was preempted, and then waits for its turn at an
// ordered region. At that time the turn belongs to an iteration that waits for the preempted task.
#include "../task/suspended.h"

enum { ROUNDS = 200 };

static struct gate gates[ROUNDS];
static int begun, ended;

static void work(void) {
    __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
    for (volatile int i = 0; i < 200000; i = i + 1) {
    }
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
}

static void first(int round) {
    check_wait_for(&gates[round].published, 1);
#pragma omp task
    work();
    check_wait_for(&begun, round + 1); // on the other thread
    gate_open(&gates[round]);
#pragma omp taskwait
}

// Its thread starts the task of the other iteration in this wait.
static void second(int round) { gate_pass(&gates[round], TASKWAIT); }

int main(void) {
    int passed = 0;
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel for ordered schedule(static, 1)
        for (int i = 0; i < 2; ++i) {
            if (i == 0) first(round);
            else second(round);
#pragma omp ordered
            passed++;
        }
    }
    CHECK_EQ(ended, ROUNDS);
    CHECK_EQ(passed, 2 * ROUNDS);
    return 0;
}
