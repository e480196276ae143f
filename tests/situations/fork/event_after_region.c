// SPDX-License-Identifier: Apache-2.0
// Situation: fork by the leader in a region; after the region the child waits for a detached task,
// whose event a thread of its own fulfils
// Catches: a child in which every later wait of that team ends as soon as there is nothing to run.

#include <pthread.h>

#include "../use_openmp.h"

static omp_event_handle_t event;
static int fulfilled, waiting;

static void* fulfil_later(void* unused) {
    while (!__atomic_load_n(&waiting, __ATOMIC_ACQUIRE))
        usleep(100);
    usleep(20000); // the creator is about to wait; if it is not yet, nothing is missed
    __atomic_store_n(&fulfilled, 1, __ATOMIC_RELEASE);
    omp_fulfill_event(event);
    return unused;
}

static void wait_for_an_event(unsigned threads) {
    pthread_t helper;
    waiting = fulfilled = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        omp_event_handle_t own = {0};
        int ran = 0;
#pragma omp task detach(own) shared(ran)
        ran = 1;
        event = own;
        CHECK_EQ(pthread_create(&helper, NULL, fulfil_later, NULL), 0);
        __atomic_store_n(&waiting, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
        CHECK_EQ(__atomic_load_n(&fulfilled, __ATOMIC_ACQUIRE), 1);
        CHECK_EQ(ran, 1);
    }
    pthread_join(helper, NULL);
}

int main(void) {
    pid_t child = -1;
#pragma omp parallel num_threads(2)
#pragma omp master
    child = fork();
    wait_for_an_event(1);
    wait_for_an_event(2);
    if (child == 0) _exit(0);
    situation_join(child);
    return 0;
}
