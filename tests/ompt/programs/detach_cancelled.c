// SPDX-License-Identifier: Apache-2.0
// Detachable tasks in a taskgroup that is cancelled while another thread fulfils their events. A
// tool is notified of a task's end after everything else about the task, also if the task is
// discarded.
//
// env: OMP_CANCELLATION=true

#include <omp.h>

enum { ROUNDS = 1000 };

int main(void) {
    int bodies = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < ROUNDS; ++i) {
#pragma omp taskgroup
        {
            omp_event_handle_t event;
#pragma omp task
            {
#pragma omp cancel taskgroup
            }
#pragma omp task detach(event) shared(bodies)
            {
#pragma omp atomic
                ++bodies;
            }
            omp_fulfill_event(event);
        }
    }
    return bodies > ROUNDS;
}
