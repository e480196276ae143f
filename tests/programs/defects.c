// SPDX-License-Identifier: Apache-2.0
// Programs with one defect each, selected by name. The first finding of the report must name the
// defect and the line that is marked here. "NAME" runs with the defect, "NAME cured" without it.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int cured;
static volatile double sink;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static long per_us;

// Repeats the same arithmetic `times` times, on any thread.
static void turn(long times)
{
    double value = 1;
    for (long at = 0; at < times; at++) value = value * 0.999999 + 1e-6;
    sink = value;
}

static void calibrate(void)
{
    double begin = now();
    turn(4000000);
    per_us = (long)(4000000 / ((now() - begin) * 1e6));
}

static void work(double us) { turn((long)(us * per_us)); }

static int fib(int n)
{
    if (n < 2) return n;
    if (cured && n < 16) return fib(n - 1) + fib(n - 2);
    int a, b;
#pragma omp task shared(a) // broken-cutoff
    a = fib(n - 1);
#pragma omp task shared(b) // broken-cutoff
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void broken_cutoff(void)
{
#pragma omp parallel
#pragma omp single
    sink = fib(23);
}

static void dependence_chain(void)
{
    static char common, own[64];
#pragma omp parallel
#pragma omp single
    for (int at = 0; at < 64; at++) {
        char *what = cured ? &own[at] : &common;
#pragma omp task depend(inout : *what) // dependence-chain
        work(1000);
        (void)what;
    }
}

static void static_imbalance(void)
{
#pragma omp parallel // static-imbalance
    for (int times = 0; times < 4; times++) {
        if (cured) {
#pragma omp for schedule(static, 1)
            for (int at = 0; at < 128; at++) work(at * 3);
        } else {
#pragma omp for // static-imbalance
            for (int at = 0; at < 128; at++) work(at * 3);
        }
    }
}

static void dynamic_imbalance(void)
{
    int chunk = cured ? 4 : 100;
#pragma omp parallel
#pragma omp for schedule(dynamic, chunk) // dynamic-imbalance
    for (int at = 0; at < 300; at++) work(200);
}

static void one_producer(void)
{
#pragma omp parallel
    if (cured) {
#pragma omp for
        for (int at = 0; at < 600; at++) {
            work(60);
#pragma omp task
            work(40);
        }
    } else {
#pragma omp single
        for (int at = 0; at < 600; at++) {
            work(60);
#pragma omp task // one-producer
            work(40);
        }
    }
}

static void hot_lock(void)
{
#pragma omp parallel for schedule(static)
    for (int at = 0; at < 400; at++) {
        work(20);
        if (cured)
            work(100);
        else {
#pragma omp critical // hot-lock
            work(100);
        }
    }
}

static void serial_part(void)
{
    if (!cured) work(40000);
#pragma omp parallel for // serial-part
    for (int at = 0; at < 100; at++) work(cured ? 600 : 200);
}

static void tiny_chunks(void)
{
    int chunk = cured ? 1000 : 1;
#pragma omp parallel
#pragma omp for schedule(dynamic, chunk) // tiny-chunks
    for (int at = 0; at < 500000; at++) work(0.05);
}

static void tiny_regions(void)
{
    for (int times = 0; times < 4000; times++) {
#pragma omp parallel for if (!cured) // tiny-regions
        for (int at = 0; at < 4; at++) work(0.3);
    }
}

static void tiny_tasks(void)
{
    int size = cured ? 500 : 1;
#pragma omp parallel
#pragma omp single
    for (int at = 0; at < 100000; at += size) {
#pragma omp task // tiny-tasks
        for (int item = 0; item < size; item++) work(0.2);
    }
}

static void task_imbalance(void)
{
#pragma omp parallel
#pragma omp single
    for (int at = 0; at < 60; at++) {
#pragma omp task // task-imbalance
        work(at == (cured ? 0 : 59) ? 30000 : 500);
    }
}

static void too_many_threads(void)
{
    if (cured) omp_set_num_threads(omp_get_num_procs());
#pragma omp parallel // too-many-threads
    for (int times = 0; times < 200; times++) {
        work(200.0 / omp_get_num_threads());
#pragma omp barrier
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} DEFECTS[] = {
    {"broken-cutoff", broken_cutoff},       {"dependence-chain", dependence_chain},
    {"static-imbalance", static_imbalance}, {"dynamic-imbalance", dynamic_imbalance},
    {"one-producer", one_producer},         {"hot-lock", hot_lock},
    {"serial-part", serial_part},           {"tiny-chunks", tiny_chunks},
    {"tiny-regions", tiny_regions},         {"tiny-tasks", tiny_tasks},
    {"task-imbalance", task_imbalance},     {"too-many-threads", too_many_threads},
};

int main(int argc, char **argv)
{
    cured = argc > 2 && strcmp(argv[2], "cured") == 0;
    // One measure for the defect and its cure: the second run is told the first one's.
    if (getenv("PER_US"))
        per_us = atol(getenv("PER_US"));
    else
        calibrate();
    for (size_t at = 0; argc > 1 && at < sizeof DEFECTS / sizeof *DEFECTS; at++) {
        if (strcmp(argv[1], DEFECTS[at].name) == 0) {
            double begin = omp_get_wtime();
            DEFECTS[at].run();
            printf("%.6f\n", omp_get_wtime() - begin);
            return 0;
        }
    }
    fprintf(stderr, "which defect?\n");
    return 2;
}
