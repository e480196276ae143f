// SPDX-License-Identifier: Apache-2.0
// Situation: a thread is cancelled in the middle of a region that it leads, while the other members wait at a barrier
// Catches: a thread that cannot end because its team never ends. The region is not over, so its resources are not freed.

#include <pthread.h>
#include <semaphore.h>

#include "../use_openmp.h"

static sem_t in_region;

static void* lead(void* argument) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            sem_post(&in_region);
            for (;;)
                pause();
        }
#pragma omp barrier
    }
    return argument;
}

int main(void) {
    pthread_t thread;
    void* result = NULL;
    sem_init(&in_region, 0, 0);
    pthread_create(&thread, NULL, lead, NULL);
    while (sem_wait(&in_region) != 0) {
    }
    pthread_cancel(thread);
    pthread_join(thread, &result);
    CHECK(result == PTHREAD_CANCELED);
    use_openmp(4);
    return 0;
}
