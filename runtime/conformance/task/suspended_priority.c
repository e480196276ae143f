// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1 OMP_MAX_TASK_PRIORITY=9
// flags: -Wno-unused-variable -O0
// stock: fails, a thread that waits starts no unrelated task
//
// A task can go on, and one of a higher priority is queued that may not start before it has ended:
// it is tied, and does not descend from the first one, which is suspended. The first one goes on.
#include "check.h"

static omp_event_handle_t published;

int main(void) {
    int order = 0, first_went_on = 0, urgent_ran = 0;
#pragma omp parallel
#pragma omp single
    {
        char gate = 0;
#pragma omp task untied depend(out : gate) shared(order) // runs while the first one waits, and leaves nothing to do
        ++order;
#pragma omp task shared(order, first_went_on) // the newest one starts first
        {
            omp_event_handle_t event;
#pragma omp task detach(event) shared(order)
            ++order;
            published = event;
#pragma omp taskwait
            first_went_on = ++order;
        }
#pragma omp task untied depend(inout : gate) shared(order)
        {
            ++order;
            omp_fulfill_event(published);
        }
#pragma omp task priority(9) depend(in : gate) shared(urgent_ran, order)
        urgent_ran = ++order;
#pragma omp taskwait
    }
    CHECK_EQ(first_went_on, 4);
    CHECK_EQ(urgent_ran, 5);
}
