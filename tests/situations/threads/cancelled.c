// SPDX-License-Identifier: Apache-2.0
// Situation: threads with sleeping teams are cancelled (pthread_cancel) or call pthread_exit between regions; other threads continue
// Catches: a runtime that learns of the end of a thread only from its start routine's return.

#include <pthread.h>
#include <semaphore.h>

#include "../process_state.h"
#include "../use_openmp.h"

enum { kRounds = 20 };

static sem_t ready;

static void* wait_to_be_cancelled(void* argument) {
    use_openmp(4);
    sem_post(&ready);
    for (;;)
        pause();
    return argument;
}

static void leave_by_thread_exit(void) { pthread_exit(&ready); }

static void* leave(void* argument) {
    use_openmp(3);
    leave_by_thread_exit();
    return argument;
}

int main(void) {
    sem_init(&ready, 0, 0);
    for (int round = 0; round < kRounds; ++round) {
        pthread_t cancelled, leaving;
        void *of_cancelled = NULL, *of_leaving = NULL;
        pthread_create(&cancelled, NULL, wait_to_be_cancelled, NULL);
        pthread_create(&leaving, NULL, leave, NULL);
        while (sem_wait(&ready) != 0) {
        }
        pthread_cancel(cancelled);
        use_openmp(3);
        pthread_join(cancelled, &of_cancelled);
        pthread_join(leaving, &of_leaving);
        CHECK(of_cancelled == PTHREAD_CANCELED);
        CHECK(of_leaving == &ready);
    }
    wait_for_threads_to_end(3 + omp_get_max_threads());
    return 0;
}
