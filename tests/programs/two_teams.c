// SPDX-License-Identifier: Apache-2.0
// Two threads of the program have regions at the same time, each with 40 tasks. The first thread
// had a region before, and waits for both.
#include <pthread.h>

static pthread_barrier_t both;

static void spin(void) {
    for (volatile int k = 0; k < 10000000; k++) {}
}

static void* have_region(void* argument) {
    pthread_barrier_wait(&both);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 40; i++)
#pragma omp task
        spin();
    return argument;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&both, NULL, 2);
#pragma omp parallel
    spin();
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, have_region, NULL) != 0) return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
