// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_TASK_PRIORITY=5
//
// As creator_holds_lock.c with a mutex of pthreads, which a runtime does not see. A creator that
// holds the mutex creates tasks that need it, as many as libgomp allows a team to queue: with much
// data, in a large team, and one with a priority while another task that needs the mutex can
// continue. The creator's thread must run none of these tasks while the creator holds the mutex.
#include <pthread.h>
#include <unistd.h>

#include "check.h"

enum { PER_MEMBER = 50, BYTES = 4096, LARGE = 32, ROUNDS = 10 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ran;

static void need_mutex(void) {
    pthread_mutex_lock(&mutex);
    ran++;
    pthread_mutex_unlock(&mutex);
}

static void much_data(int tasks) {
#pragma omp parallel
#pragma omp single
    {
        pthread_mutex_lock(&mutex);
        for (int i = 0; i < tasks; i++) {
            char data[BYTES];
            memset(data, i, sizeof data);
#pragma omp task firstprivate(data)
            if (data[0] == data[BYTES - 1]) need_mutex();
        }
        pthread_mutex_unlock(&mutex);
    }
}

static void large_team(int tasks) {
#pragma omp parallel num_threads(LARGE)
#pragma omp single
    {
        pthread_mutex_lock(&mutex);
        for (int i = 0; i < tasks; i++) {
#pragma omp task
            need_mutex();
        }
        pthread_mutex_unlock(&mutex);
    }
}

// The creator's thread may begin the first task in a taskyield. The task waits for its child, and
// can continue when the creator holds the mutex.
static void begun_in_yield(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        int started = 0;
#pragma omp task shared(started)
        {
#pragma omp task shared(started)
            {
                __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
                usleep(2000);
            }
            check_wait_for(&started, 1);
#pragma omp taskwait
            need_mutex();
        }
        for (int i = 0; i < 64; i++) {
#pragma omp taskyield
        }
        pthread_mutex_lock(&mutex);
        usleep(4000);
#pragma omp task priority(1)
        {
        }
        pthread_mutex_unlock(&mutex);
    }
}

int main(void) {
    const int with_data = PER_MEMBER * omp_get_max_threads();
    much_data(with_data);
    CHECK_EQ(ran, with_data);
    int members = 0;
#pragma omp parallel num_threads(LARGE)
#pragma omp single
    members = omp_get_num_threads();
    ran = 0;
    large_team(PER_MEMBER * members);
    CHECK_EQ(ran, PER_MEMBER * members);
    ran = 0;
    for (int round = 0; round < ROUNDS; round++)
        begun_in_yield();
    CHECK_EQ(ran, ROUNDS);
    return 0;
}
