// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_TASK_PRIORITY=5
//
// A creator holds a mutex of pthreads while it creates more tasks than a queue holds. These tasks
// do not need the mutex, but tasks of a higher priority do, which the creator has queued before.
// The creator's thread must run none of the latter meanwhile.
#include <pthread.h>

#include "check.h"

enum { HIGH = 20, LOW = 3000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int high, low;

int main(void) {
    if (omp_get_max_threads() == 1) return 0; // any runtime may run the tasks at once
#pragma omp parallel
#pragma omp single
    {
        pthread_mutex_lock(&mutex);
        for (int i = 0; i < HIGH; i++) {
#pragma omp task priority(5)
            {
                pthread_mutex_lock(&mutex);
                high++;
                pthread_mutex_unlock(&mutex);
            }
        }
        for (int i = 0; i < LOW; i++) {
#pragma omp task priority(1)
            __atomic_fetch_add(&low, 1, __ATOMIC_RELAXED);
        }
        pthread_mutex_unlock(&mutex);
    }
    CHECK_EQ(high, HIGH);
    CHECK_EQ(low, LOW);
    return 0;
}
