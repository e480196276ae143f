// SPDX-License-Identifier: Apache-2.0
//
// All threads wait for something outside of OpenMP before the parallel part. The remedy waits on a
// thread of its own meanwhile.

#include <pthread.h>
#include <unistd.h>

#include "defect.h"

enum { ROWS = 500, WAIT_US = 60000 };

static void* await(void* argument) {
    usleep(WAIT_US);
    return argument;
}

int main(void) { // HERE
    uint64_t sum = 0;
#if CURED
    pthread_t waiter;
    if (pthread_create(&waiter, NULL, await, NULL) != 0) return 1;
#else
    (void)await(NULL);
#endif
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 4) // HERE
    for (int row = 0; row < ROWS; row++)
        sum += work(400000);
#if CURED
    pthread_join(waiter, NULL);
#endif
    return done(sum);
}
