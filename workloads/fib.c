/* SPDX-License-Identifier: Apache-2.0 */
/* Fibonacci by double recursion: two tasks per call with almost no work in them. */
#include "common/workload.h"

enum { MAX_N = 50 };
enum variant { VARIANT_ALL, VARIANT_MANUAL, VARIANT_IF, VARIANT_FINAL };
static const char* const variant_names[] = {"all", "manual", "if", "final"};

static long n, variant, cutoff;

static const workload_option options[] = {
    {"n", "which Fibonacci number", &n, 0, MAX_N, {20, 27, 32}, NULL},
    {"variant",
     "how task creation is limited: not at all, by a test in the program, or by a clause",
     &variant,
     0,
     3,
     {VARIANT_ALL, VARIANT_ALL, VARIANT_ALL},
     variant_names},
    {"cutoff", "depth of recursion from which no further tasks are deferred", &cutoff, 0, MAX_N, {6, 10, 14}, NULL},
};
static const workload self = {
    "fib",
    "Fibonacci numbers by double recursion, two tasks per call (the smallest fork-join benchmark of the task suites, "
    "as in BOTS): measures the cost of a task itself",
    options, WORKLOAD_OPTION_COUNT(options)};

static long fib_serial(long k) { return k < 2 ? k : fib_serial(k - 1) + fib_serial(k - 2); }

static long fib_all(long k) {
    long a, b;
    if (k < 2) return k;
#pragma omp task shared(a)
    a = fib_all(k - 1);
#pragma omp task shared(b)
    b = fib_all(k - 2);
#pragma omp taskwait
    return a + b;
}

static long fib_manual(long k, long depth) {
    long a, b;
    if (k < 2) return k;
    if (depth >= cutoff) return fib_serial(k);
#pragma omp task shared(a)
    a = fib_manual(k - 1, depth + 1);
#pragma omp task shared(b)
    b = fib_manual(k - 2, depth + 1);
#pragma omp taskwait
    return a + b;
}

static long fib_if(long k, long depth) {
    long a, b;
    if (k < 2) return k;
#pragma omp task shared(a) if (depth < cutoff)
    a = fib_if(k - 1, depth + 1);
#pragma omp task shared(b) if (depth < cutoff)
    b = fib_if(k - 2, depth + 1);
#pragma omp taskwait
    return a + b;
}

static long fib_final(long k, long depth) {
    long a, b;
    if (k < 2) return k;
#pragma omp task shared(a) final(depth >= cutoff) mergeable
    a = fib_final(k - 1, depth + 1);
#pragma omp task shared(b) final(depth >= cutoff) mergeable
    b = fib_final(k - 2, depth + 1);
#pragma omp taskwait
    return a + b;
}

static long fib_parallel(void) {
    switch (variant) {
    case VARIANT_MANUAL:
        return fib_manual(n, 0);
    case VARIANT_IF:
        return fib_if(n, 0);
    case VARIANT_FINAL:
        return fib_final(n, 0);
    default:
        return fib_all(n);
    }
}

/* Task constructs met by a call on `k` with `levels` more levels of recursion that hold tasks. */
static long count_tasks(long levels) {
    long below[MAX_N + 1] = {0}, here[MAX_N + 1] = {0};
    for (long level = 0; level < levels; ++level) {
        for (long k = 2; k <= n; ++k)
            here[k] = 2 + below[k - 1] + below[k - 2];
        memcpy(below, here, sizeof below);
    }
    return below[n];
}

static long fib_iterative(void) {
    long a = 0, b = 1;
    for (long k = 0; k < n; ++k) {
        const long next = a + b;
        a = b;
        b = next;
    }
    return a;
}

int main(int argc, char** argv) {
    long result = 0;
    workload_init(&self, argc, argv);
    const double start = workload_seconds();
#pragma omp parallel
#pragma omp single
    result = fib_parallel();
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted())
        workload_expect(result == fib_iterative(), "fib(%ld) is %ld, expected %ld", n, result, fib_iterative());
    return workload_report(time_s, count_tasks(variant == VARIANT_MANUAL ? cutoff : n), "%ld", result);
}
