// SPDX-License-Identifier: Apache-2.0
// Detachable tasks whose bodies end at the moment at which another thread fulfils their events. A
// tool is notified of a task's end after everything else about the task.
//
// count: task_create.explicit 2000
// count: schedule.early_fulfill|schedule.late_fulfill 1000
// count: schedule.complete|schedule.late_fulfill 2000

#include <omp.h>

enum { TASKS = 1000 };

int main(void) {
    int bodies = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; ++i) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(bodies)
        {
#pragma omp atomic
            ++bodies;
        }
#pragma omp task firstprivate(event)
        omp_fulfill_event(event);
#pragma omp taskwait
    }
    return bodies != TASKS;
}
