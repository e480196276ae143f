// SPDX-License-Identifier: Apache-2.0
// Steps that are alike, after a start that occurs once: a loop, a serial part, and tasks. The
// program writes the CPU time that it used in each N-th step, in nanoseconds, by its own clock.
// Arguments: the number of steps, and N; a third argument makes two threads that do this at a time.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CHUNKS = 8, TASKS = 5 };
enum { LOOP, SERIAL, TASK, KINDS };

static int steps, nth;

static long used_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void compute(long *used, int times) {
    const long begin = used_ns();
    volatile double sum = 0;
    for (int i = 0; i < times * 10000; ++i)
        sum = sum + i * 0.5;
    __atomic_fetch_add(used, used_ns() - begin, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void loop(long *used) {
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < CHUNKS; ++i)
        compute(used, 1);
}

__attribute__((noinline)) static void tasks(long *used) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < TASKS; ++i) {
#pragma omp task
        compute(used, 2);
    }
}

__attribute__((noinline)) static void start(void) {
    long used = 0;
#pragma omp parallel num_threads(2)
    compute(&used, 20);
}

static void *run(void *unused) {
    (void)unused;
    long recorded[KINDS] = {0}, others[KINDS] = {0};
    for (int step = 1; step <= steps; ++step) {
        long *used = step % nth == 0 ? recorded : others;
        loop(&used[LOOP]);
        compute(&used[SERIAL], 3);
        tasks(&used[TASK]);
    }
    printf("%ld %ld %ld\n", recorded[LOOP], recorded[SERIAL], recorded[TASK]);
    return NULL;
}

int main(int count, char **words) {
    steps = atoi(words[1]);
    nth = atoi(words[2]);
    for (int i = 0; i < 3; ++i)
        start();
    if (count == 3) return run(NULL), 0;
    pthread_t other;
    pthread_create(&other, NULL, run, NULL);
    run(NULL);
    pthread_join(other, NULL);
    return 0;
}
