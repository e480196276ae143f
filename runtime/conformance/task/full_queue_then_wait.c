// SPDX-License-Identifier: Apache-2.0
//
// A thread waits for a taskgroup. A task of this group, on another thread, creates more children
// than that thread's queue holds, so the thread runs some of them itself. Other threads run the
// rest. Then the task waits for its children and finds none to run.
#include "check.h"

enum { kChildren = 1024 + 5 };

int main(void) {
    int started = 0, done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
    {
#pragma omp task shared(started, done)
        {
#pragma omp atomic write seq_cst
            started = 1;
#pragma omp taskloop nogroup grainsize(1) shared(done)
            for (int i = 0; i < kChildren; ++i) {
#pragma omp atomic
                ++done;
            }
            for (int seen = 0; seen != kChildren;) {
#pragma omp atomic read seq_cst
                seen = done;
            }
#pragma omp taskwait
        }
        for (int seen = 0; !seen;) { // the other thread has the task
#pragma omp atomic read seq_cst
            seen = started;
        }
    }
    CHECK_EQ(done, kChildren);
}
