// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_NUM_THREADS=2 TEFF_TSC=relaxed OMP_CANCELLATION=true
// stock: fails, untied tasks keep their thread
//
// While an iteration waits for its turn, or for another iteration of a doacross loop, its thread
// continues a suspended task, which forks. In the child the wait is over, because no other thread
// exists there.
#include "../task/suspended.h"

#include <sys/wait.h>

static struct gate gates[2];
static int arrived, forked;
static volatile int is_child;
static pid_t kid;

static void suspend_and_fork(int round) {
    gate_pass(&gates[round], TASKWAIT);
    kid = fork();
    CHECK(kid >= 0);
    if (kid == 0) {
        is_child = 1;
        alarm(10);
    }
    __atomic_fetch_add(&forked, 1, __ATOMIC_RELEASE);
}

static void first(int round) {
    check_wait_for(&arrived, round + 1);
    gate_open(&gates[round]);
    check_wait_for(&forked, round + 1);
}

static void second(int round) {
#pragma omp task untied
    suspend_and_fork(round);
    yield_until(&gates[round].begun, 1);
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
}

static void with_turns(int round) {
#pragma omp parallel for ordered schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
        (i == 0 ? first : second)(round);
#pragma omp ordered
        {
        }
    }
}

static void with_sinks(int round) {
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
        (i == 0 ? first : second)(round);
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
    }
}

int main(void) {
    for (int round = 0; round < 2; ++round) {
        (round == 0 ? with_turns : with_sinks)(round);
        if (is_child) _exit(0);
        int status;
        CHECK_EQ(waitpid(kid, &status, 0), kid);
        CHECK_EQ(status, 0);
    }
    return 0;
}
