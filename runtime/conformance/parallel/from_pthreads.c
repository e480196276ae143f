// SPDX-License-Identifier: Apache-2.0
//
// Threads that the program itself created start regions at the same time; each has a team of its
// own.
#include "check.h"
#include <pthread.h>

enum { STARTERS = 3, N = 500 };

static void* start_regions(void* argument) {
    long own = (long)argument;
    for (int round = 0; round < 20; round++) {
        long sum = 0;
        int threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum, threads)
        {
            CHECK_EQ(omp_get_num_threads(), 4);
            CHECK_EQ(omp_get_level(), 1);
            threads++;
#pragma omp for schedule(dynamic)
            for (int i = 0; i < N; i++)
                sum += i + own;
        }
        CHECK_EQ(threads, 4);
        CHECK_EQ(sum, (long)N * (N - 1) / 2 + N * own);
    }
    return NULL;
}

int main(void) {
    pthread_t starters[STARTERS];
    omp_set_dynamic(0);
    for (long i = 0; i < STARTERS; i++)
        CHECK_EQ(pthread_create(&starters[i], NULL, start_regions, (void*)i), 0);
    start_regions((void*)(long)STARTERS);
    for (int i = 0; i < STARTERS; i++)
        CHECK_EQ(pthread_join(starters[i], NULL), 0);
}
