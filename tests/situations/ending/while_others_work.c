// SPDX-License-Identifier: Apache-2.0
// Situation: main returns while other threads are in regions, sleep at barriers, and start new regions; 50 processes one after the other
// Catches: a runtime that at exit frees memory that threads still use, or waits for these threads.

#include <pthread.h>

#include "../use_openmp.h"

enum { kProcesses = 50 };

static int started;

static void* work(void* argument) {
    __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
    for (int i = 0;; ++i)
        use_openmp(2 + i % 3);
    return argument;
}

static void* sleep_at_barrier(void* argument) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1) {
            __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
            for (;;)
                pause();
        }
#pragma omp barrier
    }
    return argument;
}

int main(void) {
    for (int i = 0; i < kProcesses; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            pthread_t threads[3];
            pthread_create(&threads[0], NULL, work, NULL);
            pthread_create(&threads[1], NULL, work, NULL);
            pthread_create(&threads[2], NULL, sleep_at_barrier, NULL);
            while (__atomic_load_n(&started, __ATOMIC_RELAXED) < 3)
                use_openmp(2);
            return 0;
        }
        situation_join(child);
    }
    return 0;
}
