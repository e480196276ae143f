// SPDX-License-Identifier: Apache-2.0
// Operations by which programs may affect the counter files of `teff stat` without knowing of these
// files.
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TASKS = 100, THREADS = 10, SLEEPS = 20, HIGH = 512 };

static void each_task(int threads) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < TASKS; ++i) {
#pragma omp task
        __asm__ volatile(""); // else the compiler leaves the task out
    }
}

// As a daemon does; and then a pipe has the number that one of those files had. It stays empty.
static int closes_all(void) {
    int ends[2];
    each_task(2);
    close_range(3, ~0u, 0);
    if (pipe(ends) != 0 || dup2(ends[0], HIGH) != HIGH) return 1;
    puts("done");
    return 5;
}

static void* sleeps(void* nothing) {
#pragma omp parallel num_threads(1)
    for (int i = 0; i < SLEEPS; ++i)
        usleep(1000);
    return nothing;
}

// One after the other, so that all have the same number.
static void threads_that_sleep(void) {
    for (int i = 0; i < THREADS; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, sleeps, NULL) == 0) pthread_join(thread, NULL);
    }
}

static void targets(void) {
    int value = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    for (int i = 0; i < 2; ++i) {
#pragma omp target map(tofrom : value)
        ++value;
    }
}

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "plain";
    if (strcmp(what, "plain") == 0) each_task(2);
    else if (strcmp(what, "many") == 0) each_task(100);
    else if (strcmp(what, "closes all") == 0) return closes_all();
    else if (strcmp(what, "sleeps") == 0) threads_that_sleep();
    else if (strcmp(what, "targets") == 0) targets();
    else if (strcmp(what, "_exit") == 0) each_task(2), _exit(0);
    else return 2;
    return 0;
}
