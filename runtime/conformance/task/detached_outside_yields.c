// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
//
// A thread that the program started creates a detachable task outside of any region. The task
// yields and waits. Its body ends before the creating thread continues.
#include "check.h"

#include <pthread.h>

enum { THREADS = 20 };

static int ended;

static void* use_openmp(void* unused) {
    omp_event_handle_t event;
    int here = 0;
#pragma omp task detach(event) shared(here)
    {
        const pthread_t self = pthread_self();
#pragma omp taskyield
#pragma omp task shared(here)
        here++;
#pragma omp taskwait
        CHECK(pthread_equal(self, pthread_self()));
        here++;
        omp_fulfill_event(event);
    }
    CHECK_EQ(here, 2);
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
    return unused;
}

int main(void) {
    use_openmp(NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, use_openmp, NULL), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
    }
    CHECK_EQ(ended, THREADS + 1);
    return 0;
}
