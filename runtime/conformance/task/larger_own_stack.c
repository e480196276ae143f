// SPDX-License-Identifier: Apache-2.0
//
// The program starts a thread with a large stack. The untied tasks of this thread use as much
// stack, also after they have waited.
#include "check.h"

#include <pthread.h>

enum { kTasks = 20, kFrame = 40 << 20, kStack = 256 << 20 };

static omp_event_handle_t events[kTasks];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int opened, used;

static void* fulfil(void* unused) {
    (void)unused;
    for (int next = 0; next < kTasks;) {
        usleep(100);
        pthread_mutex_lock(&lock);
        const int ready = opened;
        pthread_mutex_unlock(&lock);
        while (next < ready)
            omp_fulfill_event(events[next++]);
    }
    return NULL;
}

static __attribute__((noinline)) int use_stack(void) {
    volatile char frame[kFrame];
    for (int i = 0; i < kFrame; i += 4096)
        frame[kFrame - 1 - i] = 1;
    return frame[kFrame - 1];
}

// A thread of the usual size, whose record the runtime may use again.
static void* run_usual(void* unused) {
    int sum = 0;
#pragma omp parallel num_threads(1) shared(sum)
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task untied shared(sum)
        {
#pragma omp task shared(sum)
            sum++;
#pragma omp taskwait
        }
    }
    CHECK_EQ(sum, 4);
    return unused;
}

static void* run(void* unused) {
    (void)unused;
#pragma omp parallel num_threads(1)
#pragma omp single
    for (int i = 0; i < kTasks; i++) {
#pragma omp task untied
        {
            omp_event_handle_t event;
#pragma omp task detach(event)
            {
                pthread_mutex_lock(&lock);
                events[opened++] = event;
                pthread_mutex_unlock(&lock);
            }
#pragma omp taskwait
            used += use_stack();
        }
    }
    return NULL;
}

int main(void) {
    pthread_t helper, large;
    pthread_attr_t attributes;
    CHECK_EQ(pthread_create(&large, NULL, run_usual, NULL), 0);
    CHECK_EQ(pthread_join(large, NULL), 0);
    CHECK_EQ(pthread_create(&helper, NULL, fulfil, NULL), 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStack);
    CHECK_EQ(pthread_create(&large, &attributes, run, NULL), 0);
    CHECK_EQ(pthread_join(large, NULL), 0);
    CHECK_EQ(pthread_join(helper, NULL), 0);
    CHECK_EQ(used, kTasks);
    return 0;
}
