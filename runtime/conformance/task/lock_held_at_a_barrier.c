// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_TASK_PRIORITY=5
// flags: -O0
//
// A thread that holds a lock waits at a barrier, or at the end of a region, for tasks that only it
// can run: tasks on a stack that it has left, tasks with a priority, tasks that another thread has
// made ready.
#include "check.h"

#include <pthread.h>

enum { kMost = 8 };

static omp_lock_t locks[kMost];

// A taskyield starts a task on a stack of its own, which leaves children there.
static void children_of_a_task_that_yields_have_started(int threads) {
    int ran = 0;
#pragma omp parallel num_threads(threads)
    {
        const int me = omp_get_thread_num();
#pragma omp task
        for (int i = 0; i < 3; i++) {
#pragma omp task
            {
#pragma omp atomic
                ran++;
            }
        }
        for (int i = 0; i < 16; i++) {
#pragma omp taskyield
        }
        omp_set_lock(&locks[me]);
#pragma omp barrier
        omp_unset_lock(&locks[me]);
    }
    CHECK_EQ(ran, 3 * threads);
}

static void tasks_with_a_priority(int threads) {
    int ran = 0;
    omp_set_lock(&locks[0]);
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task priority(i % 2)
        {
#pragma omp atomic
            ran++;
        }
    }
    omp_unset_lock(&locks[0]);
    CHECK_EQ(ran, 10);
}

static void* fulfil_later(void* event) {
    usleep(20000);
    omp_fulfill_event((omp_event_handle_t)event);
    return NULL;
}

static void a_task_made_ready_by_another_thread(int threads) {
    int ran = 0;
#pragma omp parallel num_threads(threads)
#pragma omp critical
#pragma omp parallel num_threads(1)
    {
        omp_event_handle_t event;
        int data = 0;
        pthread_t thread;
#pragma omp task detach(event) depend(out : data)
        data = 1;
#pragma omp task depend(in : data)
        {
#pragma omp atomic
            ran++;
        }
        CHECK_EQ(pthread_create(&thread, NULL, fulfil_later, (void*)event), 0);
        pthread_detach(thread);
    }
    CHECK_EQ(ran, threads);
}

int main(void) {
    for (int i = 0; i < kMost; i++)
        omp_init_lock(&locks[i]);
    for (int threads = 1; threads <= kMost; threads *= 2) {
        children_of_a_task_that_yields_have_started(threads);
        tasks_with_a_priority(threads);
        a_task_made_ready_by_another_thread(threads < 2 ? threads : 2);
    }
    return 0;
}
