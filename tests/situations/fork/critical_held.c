// SPDX-License-Identifier: Apache-2.0
// Situation: fork while another thread is inside a critical region and a wide atomic operation; the child enters one, too
// Catches: a child that waits for the lock of critical regions, which belongs to the runtime and is held by a thread that is gone.

#include <pthread.h>
#include <semaphore.h>

#include "../use_openmp.h"

void GOMP_atomic_start(void); // what GCC calls for operands that are too wide for the processor
void GOMP_atomic_end(void);

static sem_t inside, may_leave;

static void* stay_inside(void* argument) {
#pragma omp critical
    {
        GOMP_atomic_start();
        sem_post(&inside);
        while (sem_wait(&may_leave) != 0) {
        }
        GOMP_atomic_end();
    }
    return argument;
}

static void use_critical(void) {
    int sum = 0, wide = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
        ++sum;
        GOMP_atomic_start();
        ++wide;
        GOMP_atomic_end();
    }
    CHECK_EQ(sum, 3);
    CHECK_EQ(wide, 3);
}

int main(void) {
    pthread_t thread;
    sem_init(&inside, 0, 0);
    sem_init(&may_leave, 0, 0);
    use_critical();
    pthread_create(&thread, NULL, stay_inside, NULL);
    while (sem_wait(&inside) != 0) {
    }
    const pid_t child = fork();
    if (child == 0) {
        use_critical();
        _exit(0);
    }
    situation_join(child);
    sem_post(&may_leave);
    pthread_join(thread, NULL);
    use_critical();
    return 0;
}
