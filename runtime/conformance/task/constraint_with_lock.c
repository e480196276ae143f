// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1
// stock: fails, taskyield does nothing
// flags: -O0
//
// A tied task waits on another stack of the thread. A task that does not descend from it must not
// start there meanwhile, whether or not its creator holds a lock.
#include "check.h"

#include <pthread.h>

static volatile int waits;

static void* fulfil_later(void* event) {
    usleep(50000);
    omp_fulfill_event((omp_event_handle_t)event);
    return NULL;
}

static void run(int with_lock) {
    omp_event_handle_t event;
    omp_lock_t lock;
    pthread_t thread;
    int started_meanwhile = 0;
    waits = 0;
    omp_init_lock(&lock);
#pragma omp parallel shared(event, thread)
    {
#pragma omp task untied shared(event, thread)
        {
#pragma omp task shared(event, thread)
            {
#pragma omp task detach(event)
                {
                }
                CHECK_EQ(pthread_create(&thread, NULL, fulfil_later, (void*)event), 0);
                waits = 1;
#pragma omp taskwait
                waits = 0;
            }
            for (int i = 0; i < 64 && !waits; i++) {
#pragma omp taskyield
            }
            CHECK(waits);
            if (with_lock) omp_set_lock(&lock);
#pragma omp task
            started_meanwhile = waits;
#pragma omp taskwait
            if (with_lock) omp_unset_lock(&lock);
        }
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(started_meanwhile, 0);
    omp_destroy_lock(&lock);
}

int main(void) {
    run(0);
    run(1);
    return 0;
}
