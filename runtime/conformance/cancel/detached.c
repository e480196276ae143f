// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true
// flags: -Wno-unused-variable -O0
// stock: fails, libgomp 12 waits for the events of discarded tasks
//
// Detachable tasks are discarded, or not created at all, because their taskgroup or region is
// cancelled. Such tasks are complete without their events. Fulfilling these events later has no
// effect.
#include "check.h"
#include <pthread.h>

enum { TASKS = 50, ROUNDS = 20 };

static omp_event_handle_t handles[2 * TASKS];
static int begun[2 * TASKS];

static void create(int first) {
    for (int i = first; i < first + TASKS; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(i)
        {
            __atomic_store_n(&begun[i], 1, __ATOMIC_RELEASE);
            omp_fulfill_event(event);
        }
        handles[i] = event;
    }
}

// Those that did not begin have events that nobody has fulfilled.
static void* fulfil_the_rest(void* unused) {
    for (int i = 0; i < 2 * TASKS; i++) {
        if (!begun[i]) omp_fulfill_event(handles[i]);
        begun[i] = 0;
    }
    return unused;
}

static void fulfil_the_rest_elsewhere(void) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, fulfil_the_rest, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

static void cancel_group(void) {
#pragma omp taskgroup
    {
#pragma omp task
        {
            create(0);
#pragma omp cancel taskgroup
        }
    }
#pragma omp taskgroup
    {
#pragma omp task
        {
#pragma omp cancel taskgroup
        }
#pragma omp taskwait
        create(TASKS); // in a cancelled group
    }
    fulfil_the_rest(NULL);
}

static void cancel_region(void) {
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0) {
            create(0);
#pragma omp cancel parallel
        }
#pragma omp barrier
    }
    for (int i = TASKS; i < 2 * TASKS; i++)
        begun[i] = 1;
    fulfil_the_rest_elsewhere();
}

int main(void) {
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
#pragma omp single
        cancel_group();
        cancel_region();
    }
    // Handles of later tasks are not taken for the earlier ones'.
    int done = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
        {
#pragma omp atomic
            done++;
        }
        omp_fulfill_event(event);
        omp_fulfill_event(handles[i]);
    }
    CHECK_EQ(done, TASKS);
}
