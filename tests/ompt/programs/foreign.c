// SPDX-License-Identifier: Apache-2.0
// Runs regions on threads that the program itself created.
//
// flags: -pthread
// count: parallel_begin.team 3*2
// count: implicit.begin 3*2*T

#include <pthread.h>
#include <stddef.h>

static int sum;

static void* work(void* unused) {
    for (int i = 0; i < 2; ++i) {
#pragma omp parallel
        {
#pragma omp atomic
            ++sum;
        }
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i)
        if (pthread_create(&threads[i], NULL, work, NULL)) return 2;
    for (int i = 0; i < 3; ++i)
        pthread_join(threads[i], NULL);
    return sum < 6;
}
