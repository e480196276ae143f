// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// flags: -pthread
//
// Tasks of two priorities take the same locks of every kind. If a task were preempted while it held
// a lock, the other task would wait for the lock for ever on the same thread.
#include <pthread.h>

#include "check.h"

enum { KINDS = 6, TASKS = 600 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static long counts[KINDS];

static void compute(void) {
    for (volatile int i = 0; i < 20000; ++i) {
    }
}

static void add(int kind) {
    const long before = counts[kind];
    compute();
    counts[kind] = before + 1;
}

static void use_locks(void) {
    pthread_mutex_lock(&mutex);
    add(0);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    add(1);
    pthread_rwlock_unlock(&rwlock);
    pthread_spin_lock(&spin);
    add(2);
    pthread_spin_unlock(&spin);
    omp_set_lock(&lock);
    add(3);
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest_lock);
    omp_set_nest_lock(&nest_lock);
    add(4);
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
#pragma omp critical
    add(5);
}

int main(void) {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; ++i) {
#pragma omp task untied priority(i % 3)
        use_locks();
        if (i % 16 == 0) compute();
    }
    for (int kind = 0; kind < KINDS; ++kind)
        CHECK_EQ(counts[kind], TASKS);
    return 0;
}
