// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=3 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// stock: fails, a running task keeps its thread
//
// The thread with the lowest priority cannot run the task that becomes ready: the thread is in a
// system call, or its task and the new task are both tied. Then the thread with the next lowest
// priority leaves its task for the new one.
#include "check.h"

#include <unistd.h>

enum { ROUNDS = 20 };

static int begun, served, ends[2];

static void compute_until(const int* count, int wanted) {
    volatile double sum = 0;
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted)
        sum += 1;
}

static void begin(void) { __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE); }
static void serve(void) { __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE); }

static void block(void) {
    char byte;
    begin();
    CHECK_EQ(read(ends[0], &byte, 1), 1);
}

static void compute(int round) {
    begin();
    compute_until(&served, round + 1);
}

static void lowest_is_blocked(int round) {
#pragma omp task untied priority(1)
    block();
#pragma omp task untied priority(2)
    compute(round);
    check_wait_for(&begun, 2 * round + 2);
#pragma omp task untied priority(5)
    serve();
    check_wait_for(&served, round + 1);
    CHECK_EQ(write(ends[1], "", 1), 1);
}

static void lowest_is_tied(int round) {
#pragma omp task priority(1)
    compute(round);
#pragma omp task untied priority(2)
    compute(round);
    check_wait_for(&begun, 2 * round + 2);
#pragma omp task priority(5)
    serve();
    check_wait_for(&served, round + 1);
}

int main(void) {
    CHECK_EQ(pipe(ends), 0);
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel
#pragma omp single
        {
            if (round % 2 == 0) lowest_is_blocked(round);
            else lowest_is_tied(round);
        }
    }
    CHECK_EQ(served, ROUNDS);
    return 0;
}
