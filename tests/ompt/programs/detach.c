// SPDX-License-Identifier: Apache-2.0
// Detachable tasks. The event of one is fulfilled inside the task; the event of another is
// fulfilled by a child of the task, which with one thread runs after the task's body.
//
// count: task_create.explicit 3
// count: schedule.early_fulfill|schedule.late_fulfill 2
// count: schedule.complete|schedule.late_fulfill 3
// count: schedule.detach 1 when T==1
// count: schedule.late_fulfill 1 when T==1

#include <omp.h>

int main(void) {
    omp_event_handle_t early, late;
    int bodies = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task detach(early) shared(bodies)
        {
            omp_fulfill_event(early);
#pragma omp atomic
            ++bodies;
        }
#pragma omp taskwait
#pragma omp task detach(late) shared(bodies)
        {
#pragma omp atomic
            ++bodies;
#pragma omp task shared(bodies) firstprivate(late)
            {
#pragma omp atomic
                ++bodies;
                omp_fulfill_event(late);
            }
        }
    }
    return bodies != 3;
}
