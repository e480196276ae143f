// SPDX-License-Identifier: Apache-2.0
//
// Fulfils the events of detached tasks: by another task, or by a thread that OpenMP does not know.
//
// The thread is started for the first event that is given to it and runs until the process ends.
// Events wait for the thread in a list that the thread's lock guards. The child of a fork starts a
// new thread with a new lock and condition variable: in the old ones the parent's thread is still
// counted as a waiter, and would get the child's signals.
#ifndef RANDOM_EVENTS_H
#define RANDOM_EVENTS_H

#include <dlfcn.h>

#include "frame.h"

enum fulfiller { BY_NOBODY, BY_BODY, BY_CHILD, BY_SIBLING, BY_THREAD };

// Found by name when it is needed: a runtime without it must fail in programs that need it, only.
static void fulfil(struct frame* frame, omp_event_handle_t event) {
    void (*fulfil_event)(omp_event_handle_t) = (void (*)(omp_event_handle_t))dlsym(RTLD_DEFAULT, "omp_fulfill_event");
    if (fulfil_event == NULL) FAIL(frame->node, "the runtime has no omp_fulfill_event");
    settle(frame);
    fulfil_event(event);
}

struct waiting {
    struct waiting* next;
    struct frame* frame;
    omp_event_handle_t event;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct waiting* first; // under the lock
    pid_t process;         // in which the thread runs; under the lock
} events = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void* fulfil_all(void* unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&events.lock);
        while (events.first == NULL)
            pthread_cond_wait(&events.changed, &events.lock);
        struct waiting* one = events.first;
        events.first = one->next;
        pthread_mutex_unlock(&events.lock);
        fulfil(one->frame, one->event);
        free(one);
    }
    return NULL;
}

static void before_fork(void) { pthread_mutex_lock(&events.lock); }

static void in_parent(void) { pthread_mutex_unlock(&events.lock); }

static void in_child(void) {
    events.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pthread_mutex_unlock(&events.lock);
}

static void fulfil_elsewhere(struct frame* frame, omp_event_handle_t event) {
    struct waiting* one = malloc(sizeof *one);
    one->frame = frame;
    one->event = event;
    pthread_mutex_lock(&events.lock);
    if (events.process != getpid()) {
        pthread_t thread;
        if (events.process == 0) pthread_atfork(before_fork, in_parent, in_child);
        events.process = getpid();
        if (pthread_create(&thread, NULL, fulfil_all, NULL) != 0) abort();
        pthread_detach(thread);
    }
    one->next = events.first;
    events.first = one;
    pthread_cond_signal(&events.changed);
    pthread_mutex_unlock(&events.lock);
}

#endif
