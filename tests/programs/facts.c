// SPDX-License-Identifier: Apache-2.0
// One thread creates tasks in a known order. test_records.py says which of these facts it expects
// in the recording.
#include <omp.h>

enum { TASKS = 100 }; // more than the queue takes, see test_records.py

static int x, y, counter;

static void depend_on_each_other(void) {
    omp_depend_t object;
#pragma omp depobj(object) depend(out : x)
#pragma omp task depend(depobj : object)
    x = 1;
#pragma omp task depend(in : x)
    y = x;
#pragma omp task depend(mutexinoutset : x)
    x = 2;
#pragma omp task depend(inout : x)
    x = 3;
#pragma omp taskwait
#pragma omp task depend(in : x)
    y = x;
#pragma omp taskwait
#pragma omp depobj(object) destroy
}

static void have_priorities(void) {
#pragma omp task priority(3)
    x = 4;
#pragma omp task priority(99)
    x = 5;
#pragma omp task priority(0)
    x = 6;
#pragma omp taskwait
}

// Within its body, and after it: outside regions a task runs where it is created.
static void are_fulfilled(void) {
    omp_event_handle_t early, late;
#pragma omp task detach(early)
    omp_fulfill_event(early);
#pragma omp task detach(late)
    x = 7;
    omp_fulfill_event(late);
#pragma omp taskwait
}

static void find_a_full_queue(void) {
    for (int i = 0; i < TASKS; ++i) {
#pragma omp task
        ++counter;
    }
#pragma omp taskyield
#pragma omp taskwait
}

int main(void) {
    are_fulfilled();
#pragma omp parallel num_threads(1)
    {
        depend_on_each_other();
        have_priorities();
        find_a_full_queue();
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
    }
    return counter == TASKS ? 0 : 1;
}
