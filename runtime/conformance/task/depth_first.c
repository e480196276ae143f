// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1
//
// A creator creates more tasks than its queue holds, and each task waits for its children. A
// started task ends before its creator creates the next one, so only few tasks are in progress at a
// time, however many are created.
#include "check.h"

enum { TASKS = 20000, MOST = 8 };

static int begun, most, ended;

static void work(void) {
    if (++begun > most) most = begun;
#pragma omp task untied
    ++ended;
#pragma omp taskwait
    --begun;
}

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task untied
        work();
    }
    CHECK_EQ(ended, TASKS);
    CHECK(most <= MOST);
    return 0;
}
