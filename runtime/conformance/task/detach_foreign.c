// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable
//
// A thread that OpenMP does not know fulfils the events, as the completion of input or output does.
#include "check.h"
#include <pthread.h>
#include <stdint.h>

enum { EVENTS = 60 };

static struct {
    omp_event_handle_t handle;
    int posted, completed;
} events[EVENTS];

static void* complete_events(void* unused) {
    for (int i = 0; i < EVENTS; i++) {
        check_wait_for(&events[i].posted, 1);
        usleep(i % 8 == 0 ? 1000 : 0);
        __atomic_store_n(&events[i].completed, 1, __ATOMIC_RELEASE);
        omp_fulfill_event(events[i].handle);
    }
    return unused;
}

int main(void) {
    pthread_t completer;
    CHECK_EQ(pthread_create(&completer, NULL, complete_events, NULL), 0);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < EVENTS; i++) {
        int x = 0;
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) firstprivate(i)
        {
            events[i].handle = event;
            __atomic_store_n(&events[i].posted, 1, __ATOMIC_RELEASE);
        }
#pragma omp task depend(in : x) firstprivate(i)
        CHECK_EQ(__atomic_load_n(&events[i].completed, __ATOMIC_ACQUIRE), 1);
        if (i % 3 == 0) {
#pragma omp taskwait
            CHECK_EQ(__atomic_load_n(&events[i].completed, __ATOMIC_ACQUIRE), 1);
        }
    }
    CHECK_EQ(pthread_join(completer, NULL), 0);
}
