// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 TEFF_TSC=relaxed OMP_CANCELLATION=true
// stock: fails, a thread that waits starts no unrelated task
//
// An iteration waits for its turn at an ordered region, or for another iteration of a doacross
// loop, on a thread on which a task is suspended. The other iteration waits for that task.
#include "check.h"

enum { ROUNDS = 20 };

static int begun, arrived, ended, passed;
static omp_event_handle_t of_second, of_task;

static void suspend(void) {
    omp_event_handle_t own;
#pragma omp task detach(own)
    {
        of_task = own;
        __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
    }
#pragma omp taskwait
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
}

static void first(int round, const int* detached) {
    check_wait_for(detached, 1);
#pragma omp task
    suspend();
    check_wait_for(&begun, round + 1); // on the other thread
    omp_fulfill_event(of_second);
    check_wait_for(&arrived, round + 1);
    omp_fulfill_event(of_task);
#pragma omp taskwait
}

// Its thread starts the task of the other iteration in this wait.
static void second(int* detached) {
    omp_event_handle_t own;
#pragma omp task detach(own)
    {
        of_second = own;
        __atomic_store_n(detached, 1, __ATOMIC_RELEASE);
    }
#pragma omp taskwait
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
}

static void with_turns(int round) {
    int detached = 0;
#pragma omp parallel for ordered schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
        if (i == 0) first(round, &detached);
        else second(&detached);
#pragma omp ordered
        passed++;
    }
}

static void with_sinks(int round) {
    int detached = 0;
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
        if (i == 0) first(round, &detached);
        else second(&detached);
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
