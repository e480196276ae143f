// SPDX-License-Identifier: Apache-2.0
// Situation: 200 forks while six other threads start and end regions and tasks and take locks; child and parent use OpenMP
// Catches: a child that inherits a lock of the runtime (pool, teams, memory, critical) which another thread held at the fork.
// limit: 60

#include <pthread.h>

#include "../use_openmp.h"

enum { kRounds = 200, kLoad = 6 };

static int over;

static void* regions_all_the_time(void* argument) {
    const int number = *(int*)argument;
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        use_openmp(2 + number % 2);
        omp_set_num_threads(2 + number); // a new set of control variables each time
        void* memory = omp_alloc(100, omp_default_mem_alloc);
        omp_free(memory, omp_default_mem_alloc);
    }
    return NULL;
}

static void* thread_with_regions(void* argument) {
    use_openmp(2);
    return argument;
}

static void* short_threads_all_the_time(void* argument) {
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, thread_with_regions, NULL) == 0) pthread_join(thread, NULL);
    }
    return argument;
}

int main(void) {
    pthread_t threads[kLoad];
    int numbers[kLoad];
    for (int i = 0; i < kLoad; ++i) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, i < kLoad / 2 ? regions_all_the_time : short_threads_all_the_time, &numbers[i]);
    }
    for (int round = 0; round < kRounds; ++round) {
        const pid_t child = fork();
        if (child == 0) {
            use_openmp(2 + round % 3);
            if (round % 4 == 0) use_nested_openmp(2, 2);
            _exit(0);
        }
        if (round % 8 == 0) use_openmp(2);
        situation_join(child);
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < kLoad; ++i)
        pthread_join(threads[i], NULL);
    return 0;
}
