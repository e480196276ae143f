// SPDX-License-Identifier: Apache-2.0
// Situation: the initial thread calls pthread_exit while others use OpenMP; the process ends, with status 0, when these have ended
// Catches: a runtime whose own sleeping threads keep the process alive, or that treats the end of the initial thread as the end of the process.

#include <pthread.h>
#include <semaphore.h>

#include "../use_openmp.h"

static sem_t may_go_on;
static int done;

static void* go_on(void* argument) {
    use_openmp(3);
    while (sem_wait(&may_go_on) != 0) {
    }
    for (int i = 0; i < 50; ++i)
        use_openmp(2 + i % 3);
    done = 1;
    return argument;
}

static void at_initial_threads_end(void* argument) {
    (void)argument;
    sem_post(&may_go_on);
}

static void check_at_exit(void) {
    if (done != 1) WRONG("the process ends before its last thread");
}

int main(void) {
    pthread_key_t key;
    pthread_t thread;
    sem_init(&may_go_on, 0, 0);
    pthread_key_create(&key, at_initial_threads_end);
    pthread_setspecific(key, &key);
    atexit(check_at_exit);
    use_openmp(4);
    pthread_create(&thread, NULL, go_on, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
}
