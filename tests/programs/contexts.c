// SPDX-License-Identifier: Apache-2.0
// Runs tasks that leave their stack to other tasks: N tasks that wait at the same time, each for an
// event of its own; a task that yields meanwhile; and a task that is preempted if TEFF_PREEMPT is
// on. The program ends only if all of these tasks end, and if the creator's queue is long enough
// for all of them (TEFF_DEQUE_LIMIT). See test_contexts.py.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 10000 };

static omp_event_handle_t events[N];
static atomic_int waiting, gone_on, yields, low_runs, high_has_run;
static volatile int work;

static omp_event_handle_t create_detached(void) {
    omp_event_handle_t event;
#pragma omp task detach(event)
    work = 1;
    return event;
}

static void suspend_all(void) {
    for (int i = 0; i < N; ++i) {
#pragma omp task firstprivate(i) untied
        {
            events[i] = create_detached();
            atomic_fetch_add(&waiting, 1);
#pragma omp taskwait
            atomic_fetch_add(&gone_on, 1);
        }
    }
#pragma omp task untied
    {
        while (atomic_load(&waiting) < N) {
#pragma omp taskyield
            atomic_fetch_add(&yields, 1);
        }
        for (int i = 0; i < N; ++i)
            omp_fulfill_event(events[i]);
    }
#pragma omp taskwait
}

// The creator takes no task until the high one has run, so only the low one's worker can run it.
static void preempt_one(void) {
#pragma omp task untied priority(1)
    {
        atomic_store(&low_runs, 1);
        while (!atomic_load(&high_has_run))
            ++work;
    }
    while (!atomic_load(&low_runs)) {
    }
#pragma omp task untied priority(2)
    atomic_store(&high_has_run, 1);
    while (!atomic_load(&high_has_run)) {
    }
#pragma omp taskwait
}

int main(int argc, char** argv) {
    (void)argv;
#pragma omp parallel
#pragma omp single
    {
        suspend_all();
        if (argc > 1) preempt_one();
    }
    printf("%d %d\n", atomic_load(&gone_on), atomic_load(&high_has_run));
}
