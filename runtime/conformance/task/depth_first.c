// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1
//
// Tasks wait for children, and there are more of them than their creator's queue takes. One that
// has started is ended before its creator goes on to create the next: few are begun at a time,
// however many there are.
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
