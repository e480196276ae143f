// SPDX-License-Identifier: Apache-2.0
// A library that uses OpenMP, for programs that do not use it themselves.

#include <omp.h>

long sum_to(long last, int threads);
int members_of_region(int threads);
void set_default_threads(int threads);
int default_threads(void);
void* runtime_of_library(void);
void GOMP_barrier(void);

// The sum of 1 to `last`, by a loop and tasks; -1 if the team is not of `threads` threads.
long sum_to(long last, int threads) {
    long sum = 0;
    int members = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum, members)
    {
        members += 1;
#pragma omp for schedule(dynamic, 10)
        for (long i = 1; i <= last / 2; ++i)
            sum += i;
    }
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (long i = last / 2 + 1; i <= last; ++i)
#pragma omp task shared(sum) firstprivate(i)
#pragma omp atomic
        sum += i;
    return members == threads ? sum : -1;
}

int members_of_region(int threads) {
    int members = 0;
#pragma omp parallel num_threads(threads) reduction(+ : members)
    members += 1;
    return members;
}

void set_default_threads(int threads) { omp_set_num_threads(threads); }
int default_threads(void) { return omp_get_max_threads(); }

// An address inside the runtime that serves this library.
void* runtime_of_library(void) { return (void*)&GOMP_barrier; }
