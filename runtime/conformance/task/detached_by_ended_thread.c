// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// stock: fails, libgomp 12 waits for the event where the task is created
//
// Threads that the program created end while a task that they created outside any region is
// incomplete: the task is ready, or it waits for its event.
#include "check.h"
#include <pthread.h>

static omp_event_handle_t given;
static int ran;

static void* body_fulfils(void* unused) {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(ran)
    {
        ran = 1;
        omp_fulfill_event(event);
    }
    return unused;
}

static void* other_fulfils(void* unused) {
    omp_fulfill_event(given);
    return unused;
}

static void run_thread(void* (*body)(void*)) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, body, NULL), 0);
    pthread_join(thread, NULL);
}

// The event is fulfilled before the thread ends; what depends on it is run by then.
static void* dependent_waits(void* unused) {
    int x = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
    x = 1;
    given = event;
#pragma omp task depend(in : x) shared(ran)
    ran = 1;
    CHECK_EQ(ran, 0);
    run_thread(other_fulfils);
    return unused;
}

static void* leaves_a_task(void* unused) {
    omp_event_handle_t event;
#pragma omp task detach(event)
    ;
    given = event;
    return unused;
}

static int fulfilled;

// Another thread's event comes while this one waits for its own.
static void* waits_for_its_own(void* unused) {
    omp_event_handle_t event, others = given;
#pragma omp task detach(event)
    ;
    omp_fulfill_event(others);
    given = event;
    pthread_t thread;
    __atomic_store_n(&fulfilled, 0, __ATOMIC_RELEASE);
    CHECK_EQ(pthread_create(&thread, NULL, (void* (*)(void*))unused, NULL), 0);
#pragma omp taskwait
    CHECK_EQ(__atomic_load_n(&fulfilled, __ATOMIC_ACQUIRE), 1);
    pthread_join(thread, NULL);
    return NULL;
}

static void* fulfils_late(void* unused) {
    for (volatile int i = 0; i < 20000000; ++i) // long enough for a wait that ends too early to be seen
        ;
    __atomic_store_n(&fulfilled, 1, __ATOMIC_RELEASE);
    omp_fulfill_event(given);
    return unused;
}

int main(void) {
    run_thread(body_fulfils);
    CHECK_EQ(ran, 1);
    ran = 0;
    run_thread(dependent_waits);
    CHECK_EQ(ran, 1);
    run_thread(leaves_a_task);
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, waits_for_its_own, (void*)fulfils_late), 0);
    pthread_join(thread, NULL);
}
