// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1 OMP_MAX_TASK_PRIORITY=10 TEFF_CONTEXTS=1
// stock: fails, taskyield does nothing
// flags: -O0
//
// An untied task waits on the only other stack that there is. What it waits for lies in the middle
// of the queue of the implicit task's stack, between two unrelated tasks.
#include "check.h"

static volatile int waits;
static int out, done, before, needed, after;

int main(void) {
    omp_event_handle_t event;
#pragma omp parallel shared(event)
    {
#pragma omp task untied shared(event)
        {
#pragma omp task untied shared(event)
            {
#pragma omp taskgroup
                {
#pragma omp task detach(event) depend(out : out)
                    {
                    }
#pragma omp task depend(in : out) depend(out : done) priority(5)
                    {
#pragma omp task
                        needed = 1;
                    }
                    waits = 1;
#pragma omp taskwait depend(in : done)
                }
            }
            for (int i = 0; i < 64 && !waits; i++) {
#pragma omp taskyield
            }
            CHECK(waits);
#pragma omp task priority(9)
            {
#pragma omp task
                before = 1;
            }
#pragma omp task priority(1)
            {
#pragma omp task
                after = 1;
            }
            omp_fulfill_event(event);
        }
    }
    CHECK_EQ(before + needed + after, 3);
    return 0;
}
