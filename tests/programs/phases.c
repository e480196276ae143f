// SPDX-License-Identifier: Apache-2.0
// A region of two threads, executed ROUNDS times, with a barrier of each kind. Prints for each
// phase and thread the processor time in it, in nanoseconds.
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 4, PHASES = 4, THREADS = 2, ITERATIONS = 300000 };

static long long used[PHASES][THREADS];
static double values[ITERATIONS];
static volatile double sink;

static void account(int phase, int sign) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    used[phase][omp_get_thread_num()] += sign * (time.tv_sec * 1000000000LL + time.tv_nsec);
}

static void compute(int iterations) {
    for (int i = 0; i < iterations; ++i)
        sink = sink + i;
}

int main(void) {
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel num_threads(THREADS)
        {
            account(0, -1);
#pragma omp for schedule(static) nowait
            for (int i = 0; i < ITERATIONS; ++i)
                values[i] += i;
            account(0, 1);
#pragma omp barrier // loop
            account(1, -1);
            compute(ITERATIONS * (1 + omp_get_thread_num()));
            account(1, 1);
#pragma omp barrier // by number
#pragma omp single nowait
            {
                account(2, -1);
                compute(ITERATIONS);
                account(2, 1);
            }
#pragma omp barrier // one thread
            account(3, -1);
            compute(ITERATIONS);
            account(3, 1);
        }
    }
    for (int phase = 0; phase < PHASES; ++phase)
        for (int thread = 0; thread < THREADS; ++thread)
            printf("%d %d %lld\n", phase, thread, used[phase][thread]);
    return 0;
}
