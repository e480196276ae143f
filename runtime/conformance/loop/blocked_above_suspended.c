// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_NUM_THREADS=2 TEFF_TSC=relaxed OMP_CANCELLATION=true
// stock: fails, a thread that waits starts no unrelated task
//
// An iteration waits for its turn at an ordered region, or for another iteration of a doacross
// loop, on a thread on which a task is suspended. The other iteration waits for that task.
#include "../task/suspended.h"

enum { ROUNDS = 20 };

static struct gate of_second[ROUNDS], of_task[ROUNDS];
static int arrived, ended, passed;

static void first(int round) {
    check_wait_for(&of_second[round].published, 1);
#pragma omp task
    {
        gate_pass(&of_task[round], TASKWAIT);
        __atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
    }
    check_wait_for(&of_task[round].begun, 1); // on the other thread
    gate_open(&of_second[round]);
    check_wait_for(&arrived, round + 1);
    gate_open(&of_task[round]);
#pragma omp taskwait
}

// Its thread starts the task of the other iteration in this wait.
static void second(int round) {
    gate_pass(&of_second[round], TASKWAIT);
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
}

static void with_turns(int round) {
#pragma omp parallel for ordered schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
        (i == 0 ? first : second)(round);
#pragma omp ordered
        passed++;
    }
}

static void with_sinks(int round) {
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
        (i == 0 ? first : second)(round);
#pragma omp ordered depend(sink : i - 1)
        passed++;
#pragma omp ordered depend(source)
    }
}

int main(void) {
    for (int round = 0; round < ROUNDS; ++round)
        (round % 2 == 0 ? with_turns : with_sinks)(round);
    CHECK_EQ(ended, ROUNDS);
    CHECK_EQ(passed, 2 * ROUNDS);
    return 0;
}
