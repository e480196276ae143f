// SPDX-License-Identifier: Apache-2.0
// Situation: fork by a thread of the program that has a pool, and by a thread that never used OpenMP; the child has only the forking thread
// Catches: a child that treats its thread as the initial thread, or keeps the pools of threads that do not exist in it.

#include <pthread.h>

#include "../use_openmp.h"

enum { kRounds = 30 };

static void fork_and_use(int leave_by_thread_exit) {
    const pid_t child = fork();
    if (child == 0) {
        use_openmp(3);
        use_nested_openmp(2, 2);
        if (leave_by_thread_exit) pthread_exit(NULL); // the last thread: the process ends with status 0
        _exit(0);
    }
    situation_join(child);
}

static void* with_pool(void* argument) {
    use_openmp(4);
    fork_and_use(argument != NULL);
    use_openmp(4);
    return NULL;
}

static void* without_pool(void* argument) {
    fork_and_use(argument != NULL);
    return NULL;
}

int main(void) {
    use_openmp(4); // the initial thread has a pool, too
    for (int round = 0; round < kRounds; ++round) {
        pthread_t threads[2];
        void* how = round % 2 != 0 ? &threads : NULL;
        pthread_create(&threads[0], NULL, with_pool, how);
        pthread_create(&threads[1], NULL, without_pool, how);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
    }
    use_openmp(4);
    return 0;
}
