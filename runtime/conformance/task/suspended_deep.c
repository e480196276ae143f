// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1
// flags: -Wno-unused-variable -O0
// stock: fails, a thread that waits starts no unrelated task
//
// While a tied task is suspended, its descendants of the 1000th generation start on its thread.
#include "check.h"

enum { DEPTH = 1000 };

static int deep(int left) {
    int below = 0;
    if (left == 0) return 0;
#pragma omp task shared(below)
    below = deep(left - 1);
#pragma omp taskwait
    return below + 1;
}

static omp_event_handle_t published;
static int depth, done;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied // starts when the tied one waits
        {
            omp_fulfill_event(published);
#pragma omp task // may not start before the tied one has ended
            done = depth;
#pragma omp taskwait
        }
#pragma omp task
        {
            char gate = 0;
            omp_event_handle_t event;
#pragma omp task detach(event) depend(out : gate)
            {
            }
            published = event;
#pragma omp task depend(in : gate)
            depth = deep(DEPTH);
#pragma omp taskwait
        }
#pragma omp taskwait
    }
    CHECK_EQ(depth, DEPTH);
    CHECK_EQ(done, DEPTH);
}
