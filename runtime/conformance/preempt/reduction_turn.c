// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_NUM_THREADS=3 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
//
// An ordered loop with a task reduction. The second iteration waits for a child, and then for its
// turn, which blocks its thread. In the first wait its thread must not start the first iteration's
// child: the child is suspended there, and the first iteration has the turn and waits for it.
#include "../task/suspended.h"

enum { ROUNDS = 10 };

static struct gate of_child[ROUNDS], of_second[ROUNDS];

static void first(int round) {
    check_wait_for(&of_second[round].published, 1); // the second iteration waits
#pragma omp task
    gate_pass(&of_child[round], TASKWAIT);
    usleep(2000); // for the second iteration's thread, if it starts the child
#pragma omp taskwait
}

static void third(int round) {
    check_wait_for(&of_child[round].published, 1);
    usleep(2000);
    gate_open(&of_second[round]);
    usleep(2000); // until the second iteration waits for its turn
    gate_open(&of_child[round]);
}

int main(void) {
    int sum = 0;
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel num_threads(3)
#pragma omp for ordered schedule(static, 1) reduction(task, + : sum)
        for (int i = 0; i < 3; ++i) {
            if (i == 0) first(round);
            else if (i == 1) gate_pass(&of_second[round], TASKWAIT);
            else third(round);
#pragma omp ordered
            sum++;
        }
    }
    CHECK_EQ(sum, 3 * ROUNDS);
    return 0;
}
