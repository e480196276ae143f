// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1 TEFF_CONTEXTS=1
// flags: -Wno-unused-variable -O0
// stock: fails, a thread that waits starts no unrelated task
//
// There is one stack for tasks that wait. An untied task on it waits for a tied child, which may
// not start while a tied task is suspended below; that one waits for a child of its own, for which
// there is no stack.
#include "check.h"

static omp_event_handle_t published;

int main(void) {
    int order = 0, own_ran = 0, other_ran = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied shared(other_ran) // starts when the tied one waits
        {
            omp_fulfill_event(published);
#pragma omp task shared(order, other_ran)
            other_ran = ++order;
#pragma omp taskwait
        }
#pragma omp task shared(order, own_ran)
        {
            char gate = 0;
            omp_event_handle_t event;
#pragma omp task detach(event) depend(out : gate)
            {
            }
            published = event;
#pragma omp task depend(in : gate) shared(order, own_ran)
            {
#pragma omp task shared(order, own_ran)
                own_ran = ++order;
#pragma omp taskwait
            }
#pragma omp taskwait
        }
#pragma omp taskwait
    }
    CHECK_EQ(own_ran, 1);
    CHECK_EQ(other_ran, 2);
}
