// SPDX-License-Identifier: Apache-2.0
//
// What every conformance program includes: CHECK and CHECK_EQ, which name the
// place and end the process with status 1, and a watchdog, which turns a hang
// into a message. The process ends by _exit, because a failing check may run
// inside a parallel region, where waiting for the other threads could hang.
#ifndef CONFORMANCE_CHECK_H
#define CONFORMANCE_CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(expression) ((expression) ? (void)0 : check_fail(__FILE__, __LINE__, #expression))

// Compares integers and shows both when they differ.
#define CHECK_EQ(actual, expected)                                                                                     \
    check_equal(__FILE__, __LINE__, #actual " == " #expected, (long long)(actual), (long long)(expected))

// Where a compiler's runtime prints affinities.
#ifdef __clang__
#define AFFINITY_OUTPUT stdout
#else
#define AFFINITY_OUTPUT stderr
#endif

__attribute__((noreturn, unused)) static void check_fail(const char* file, int line, const char* what) {
    fprintf(stderr, "%s:%d: failed in thread %d of %d: %s\n", file, line, omp_get_thread_num(), omp_get_num_threads(),
            what);
    fflush(NULL);
    _exit(1);
}

__attribute__((unused)) static void check_equal(const char* file, int line, const char* what, long long actual,
                                                long long expected) {
    if (actual == expected) return;
    fprintf(stderr, "%s:%d: failed in thread %d of %d: %s, found %lld, expected %lld\n", file, line,
            omp_get_thread_num(), omp_get_num_threads(), what, actual, expected);
    fflush(NULL);
    _exit(1);
}

static void check_watchdog(int signal_number) {
    (void)signal_number;
    static const char message[] = "watchdog: the program hangs\n";
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(1);
}

// Runs before main. CHECK_WATCHDOG_S=0 turns it off, for a debugger.
__attribute__((constructor)) static void check_start_watchdog(void) {
    const char* limit_s = getenv("CHECK_WATCHDOG_S");
    signal(SIGALRM, check_watchdog);
    alarm(limit_s ? (unsigned)atoi(limit_s) : 20);
}

// Waits, politely on a machine with fewer processors than threads, until
// another thread has made *flag at least `value`.
__attribute__((unused)) static void check_wait_for(const int* flag, int value) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value)
        sched_yield();
}

// Adds one in a way that loses updates of others unless something excludes them: the pause between
// reading and writing lets another thread in, on one processor, too.
__attribute__((unused)) static void check_slow_increment(volatile long* counter) {
    long before = *counter;
    if (before % 8 == 0) sched_yield();
    *counter = before + 1;
}

#endif
