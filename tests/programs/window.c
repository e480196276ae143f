// SPDX-License-Identifier: Apache-2.0
// Phases of which only some are to be recorded. Each phase has a function of its own, which runs a
// parallel region with a known number of tasks. The first argument chooses what the program does.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "teff.h"

int omp_control_tool(int command, int modifier, void *argument) __attribute__((weak));
int omp_get_thread_num(void);

enum { TASKS_BEFORE = 7, TASKS_INSIDE = 20, TASKS_AFTER = 11 };

static volatile double sink;

static void compute(int iterations) {
    double sum = 0;
    for (int i = 0; i < iterations; ++i)
        sum += i * 0.5;
    sink = sum;
}

static void tasks(int count) {
    for (int i = 0; i < count; ++i) {
#pragma omp task
        compute(20000);
    }
}

__attribute__((noinline)) static void before(void) {
#pragma omp parallel
#pragma omp single
    tasks(TASKS_BEFORE);
}

__attribute__((noinline)) static void inside(void) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 4; ++i)
            compute(10000);
#pragma omp single
        for (int i = 0; i < TASKS_INSIDE; ++i) {
#pragma omp task
            compute(20000);
        }
    }
}

__attribute__((noinline)) static void after(void) {
#pragma omp parallel
#pragma omp single
    tasks(TASKS_AFTER);
}

static void repeat(int times, void (*phase)(void)) {
    for (int i = 0; i < times; ++i)
        phase();
}

static void said(const char *what, int result) { printf("%s %d\n", what, result); }

static void part_by_header(void) {
    said("stop", teff_record_stop());
    repeat(30, before);
    said("start", teff_record_start());
    teff_span_begin("solve");
    repeat(3, inside);
    teff_span_end();
    teff_span_end(); // one too many
    said("stop", teff_record_stop());
    repeat(30, after);
}

static void part_by_tool(void) {
    said("pause", omp_control_tool(2, 0, NULL));
    repeat(30, before);
    said("start", omp_control_tool(1, 0, NULL));
    said("start", omp_control_tool(1, 0, NULL));
    repeat(3, inside);
    said("flush", omp_control_tool(3, 0, NULL));
    said("end", omp_control_tool(4, 0, NULL));
    repeat(30, after);
    said("start", omp_control_tool(1, 0, NULL));
    repeat(30, after);
    said("other", omp_control_tool(9, 0, NULL));
}

static void two_parts(void) {
    teff_span_begin("all");
    before();
    teff_record_stop();
    repeat(30, after);
    teff_record_start();
    repeat(2, inside);
    teff_span_end();
}

// The region goes on for a while after the window has ended, and another one begins within it.
static void stop_in_region(void) {
    before();
#pragma omp parallel
    {
#pragma omp single
        {
            tasks(TASKS_INSIDE);
#pragma omp taskwait
            teff_record_stop();
            tasks(100);
            teff_record_start();
            tasks(100);
        }
    }
    inside();
}

static void *thread_main(void *unused) {
    (void)unused;
    repeat(5, before); // it has its first region while recording is off
    return NULL;
}

static void threads_begin_outside(void) {
    teff_record_stop();
    pthread_t thread;
    pthread_create(&thread, NULL, thread_main, NULL);
    pthread_join(thread, NULL);
    teff_record_start();
    pthread_create(&thread, NULL, thread_main, NULL);
    pthread_join(thread, NULL);
    inside();
}

static void fork_outside(void) {
    before();
    teff_record_stop();
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        repeat(5, after);
        teff_record_start();
        inside();
        exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    said("child", status);
    repeat(5, after);
}

static void nested_spans(void) {
    for (int i = 0; i < 4; ++i) {
        teff_span_begin("outer");
        before();
        teff_span_begin("inner");
        inside();
        teff_span_end();
        teff_span_end();
    }
#pragma omp parallel
    {
        teff_span_begin("each thread");
        compute(100000);
        teff_span_end();
    }
    for (int i = 0; i < 100; ++i)
        teff_span_begin("deep");
    for (int i = 0; i < 100; ++i)
        teff_span_end();
    for (int i = 0; i < 300; ++i) {
        char name[100];
        snprintf(name, sizeof name, "%03d and a name that is longer than what the recorder keeps of a name, by far", i);
        teff_span_begin(name);
        teff_span_end();
    }
    after();
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

// Phases by the clock, as the environment says it to the runtime, with a wide margin.
static void by_the_clock(double delay, double duration) {
    const double begin = seconds();
    repeat(3, before);
    said("in time", seconds() - begin < delay / 2);
    usleep((useconds_t)((delay + 0.1) * 1e6));
    repeat(3, inside);
    said("in time", seconds() - begin < delay + 0.1 + duration / 2);
    usleep((useconds_t)((duration + 0.1) * 1e6));
    repeat(3, after);
}

// Some MiB of records in each thread; the newest are of `after`.
static void many(void) {
    for (int i = 0; i < 120; ++i) {
#pragma omp parallel
#pragma omp single
        for (int task = 0; task < 8000; ++task) {
#pragma omp task
            compute(10);
        }
    }
    repeat(20, after);
}

// The same in one region, which begins long before the records that are kept.
static void many_in_a_region(void) {
#pragma omp parallel
#pragma omp single
    for (int task = 0; task < 400000; ++task) {
#pragma omp task
        compute(10);
    }
}

// Both threads sleep, for each time: what the threads do is known only from the kernel.
static void asleep(void) {
    teff_record_stop();
    for (int i = 0; i < 3; ++i) {
        teff_record_start();
#pragma omp parallel num_threads(2)
        usleep(20000);
        teff_record_stop();
    }
    teff_record_start();
    teff_span_begin("asleep");
#pragma omp parallel num_threads(2)
    usleep(20000);
    teff_span_end();
    before();
}

static double own_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

// The window ends while both threads are at work, each in its part of the region.
static void stop_at_work(void) {
    double used = 0;
    int is_over = 0;
#pragma omp parallel num_threads(2)
    {
        const double begin = own_seconds();
        int is_long_enough = 0;
        while (!is_long_enough) {
            compute(1000);
            if (omp_get_thread_num() == 0) {
                used = own_seconds() - begin;
                if (used >= 0.02) {
                    teff_record_stop();
                    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
                }
            }
            is_long_enough = __atomic_load_n(&is_over, __ATOMIC_ACQUIRE);
        }
    }
    printf("%.0f\n", used * 1e9);
}

// The window ends while one thread waits and the other works. Each function is a region of two
// threads. The thread that waits calls `comes_to_wait` just before; the other calls `end_window`.
static double wait_began;
static int is_waiting;

static void comes_to_wait(void) {
    wait_began = seconds();
    __atomic_store_n(&is_waiting, 1, __ATOMIC_RELEASE);
}

static void spend(double duration) {
    const double end = seconds() + duration;
    while (seconds() < end)
        compute(1000);
}

// Prints for how long the other thread had been waiting when the window ended.
static void end_window(void) {
    while (!__atomic_load_n(&is_waiting, __ATOMIC_ACQUIRE))
        compute(10);
    spend(0.03);
    printf("%.0f\n", (seconds() - wait_began) * 1e9);
    teff_record_stop();
    spend(0.02);
}

__attribute__((noinline)) static void at_barrier(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) end_window();
        else comes_to_wait();
#pragma omp barrier
        compute(1000);
    }
}

__attribute__((noinline)) static void at_region_end(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) end_window();
        else comes_to_wait();
    }
}

__attribute__((noinline)) static void at_critical(void) {
    int is_in = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            while (!__atomic_load_n(&is_in, __ATOMIC_ACQUIRE))
                compute(10);
        if (omp_get_thread_num() == 1) comes_to_wait();
#pragma omp critical
        if (omp_get_thread_num() == 0) {
            __atomic_store_n(&is_in, 1, __ATOMIC_RELEASE);
            end_window();
        }
    }
}

__attribute__((noinline)) static void at_taskwait(void) {
    int has_begun = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp task shared(has_begun)
        {
            __atomic_store_n(&has_begun, 1, __ATOMIC_RELEASE);
            end_window();
        }
        while (!__atomic_load_n(&has_begun, __ATOMIC_ACQUIRE))
            compute(10);
        comes_to_wait();
#pragma omp taskwait
    }
}

__attribute__((noinline)) static void at_ordered(void) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; ++i) {
        if (i == 1) comes_to_wait();
#pragma omp ordered
        if (i == 0) end_window();
    }
}

static int stop_in_wait(const char *where) {
    if (strcmp(where, "barrier") == 0) at_barrier();
    else if (strcmp(where, "region end") == 0) at_region_end();
    else if (strcmp(where, "critical") == 0) at_critical();
    else if (strcmp(where, "taskwait") == 0) at_taskwait();
    else if (strcmp(where, "ordered") == 0) at_ordered();
    else return 2;
    return 0;
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    if (strcmp(what, "header") == 0) part_by_header();
    else if (strcmp(what, "tool") == 0) part_by_tool();
    else if (strcmp(what, "two") == 0) two_parts();
    else if (strcmp(what, "stop in region") == 0) stop_in_region();
    else if (strcmp(what, "threads") == 0) threads_begin_outside();
    else if (strcmp(what, "fork") == 0) fork_outside();
    else if (strcmp(what, "spans") == 0) nested_spans();
    else if (strcmp(what, "clock") == 0) by_the_clock(atof(words[2]), atof(words[3]));
    else if (strcmp(what, "many") == 0) many();
    else if (strcmp(what, "many in a region") == 0) many_in_a_region();
    else if (strcmp(what, "asleep") == 0) asleep();
    else if (strcmp(what, "stop at work") == 0) stop_at_work();
    else if (strcmp(what, "stop in wait") == 0) return stop_in_wait(words[2]);
    else return 2;
    return 0;
}
