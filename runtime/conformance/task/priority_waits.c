// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_TASK_PRIORITY=10
//
// Many tasks with a priority create children and wait for them while all the other tasks are
// queued. No waiting task has to look through tasks that it may not run: there are so many that
// such a search would take minutes. In one case the children have priorities of their own.
#include "check.h"

enum { REQUESTS = 60000 };

static void request(int kind, long* done) {
    for (int i = 0; i < 2; i++) {
#pragma omp task priority(kind % 2 == 0 ? 0 : i + 2) shared(done)
        {
#pragma omp atomic
            ++*done;
        }
    }
#pragma omp taskwait
}

int main(void) {
    long done = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < REQUESTS; i++) {
#pragma omp task priority(1) shared(done)
        request(i, &done);
    }
    CHECK_EQ(done, 2L * REQUESTS);
}
