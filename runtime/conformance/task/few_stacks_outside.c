// SPDX-License-Identifier: Apache-2.0
// env: TEFF_CONTEXTS=3
//
// Runs random trees of tasks, with very few stacks for waiting tasks, and with events that a thread
// outside of the team fulfils. A task that becomes ready by such an event is in no thread's queue.
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "../check.h"

enum { kDepth = 5, kTrees = 200 };

typedef struct Event {
    omp_event_handle_t handle;
    struct Event* next;
} Event;

static pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;
static Event* events;
static int stop;

static void put(omp_event_handle_t handle) {
    Event* event = malloc(sizeof *event);
    event->handle = handle;
    pthread_mutex_lock(&events_lock);
    event->next = events;
    events = event;
    pthread_mutex_unlock(&events_lock);
}

static void* fulfil_events(void* unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&events_lock);
        Event* event = events;
        if (event != NULL) events = event->next;
        const int is_last = stop;
        pthread_mutex_unlock(&events_lock);
        if (event != NULL) {
            omp_fulfill_event(event->handle);
            free(event);
        } else if (is_last) {
            return NULL;
        } else {
            usleep(100);
        }
    }
}

static unsigned next_of(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 10;
}

// How many nodes the tree has.
static long count(int depth, unsigned seed) {
    long nodes = 1;
    if (depth == 0) return 1;
    const int children = 1 + (int)(next_of(&seed) % 4);
    for (int i = 0; i < children; i++)
        nodes += count(depth - 1, next_of(&seed));
    return nodes;
}

static long run(int depth, unsigned seed) {
    long nodes = 1, below[4] = {0};
    int cells[2] = {0};
    (void)cells; // GCC 14 takes no notice of its use in depend clauses
    if (depth == 0) return 1;
    const int children = 1 + (int)(next_of(&seed) % 4);
    for (int i = 0; i < children; i++) {
        const unsigned child = next_of(&seed);
        omp_event_handle_t event;
        switch (child % 6) {
        case 0:
#pragma omp task untied shared(below) firstprivate(i, child)
        {
            below[i] = run(depth - 1, child);
#pragma omp taskyield
        } break;
        case 1:
#pragma omp task if (0) shared(below) firstprivate(i, child)
            below[i] = run(depth - 1, child);
            break;
        case 2:
#pragma omp task shared(below) firstprivate(i, child) depend(inout : cells[0]) priority(3)
            below[i] = run(depth - 1, child);
            break;
        case 3:
#pragma omp task shared(below) firstprivate(i, child) detach(event) depend(inout : cells[1])
        {
            below[i] = run(depth - 1, child);
            put(event);
        } break;
        case 4:
#pragma omp taskgroup
        {
#pragma omp task untied shared(below) firstprivate(i, child) depend(in : cells[0])
            below[i] = run(depth - 1, child);
        } break;
        default:
#pragma omp taskloop num_tasks(3) untied shared(below)
            for (int j = 0; j < 3; j++)
                if (j == 1) below[i] = run(depth - 1, child);
        }
        if (child % 5 == 0) {
#pragma omp taskwait depend(in : cells[1])
        }
    }
#pragma omp taskwait
    for (int i = 0; i < children; i++)
        nodes += below[i];
    return nodes;
}

int main(void) {
    pthread_t outside;
    CHECK(pthread_create(&outside, NULL, fulfil_events, NULL) == 0);
    unsigned seed = 1;
    for (int i = 0; i < kTrees; i++) {
        const unsigned tree = next_of(&seed);
        long nodes = 0;
#pragma omp parallel num_threads(1 + i % 3)
#pragma omp single
        nodes = run(kDepth, tree);
        CHECK(nodes == count(kDepth, tree));
    }
    pthread_mutex_lock(&events_lock);
    stop = 1;
    pthread_mutex_unlock(&events_lock);
    CHECK(pthread_join(outside, NULL) == 0);
    return 0;
}
