// SPDX-License-Identifier: Apache-2.0
// Situation: a profiling timer interrupts 5,000 times a second, without SA_RESTART, in tasks, barriers, locks and sleeps
// Catches: a runtime that takes an interrupted system call for the event that it waited for, or for a failure.
// limit: 60

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "../use_openmp.h"

enum { kRounds = 300, kPeriod_us = 200 };

static volatile sig_atomic_t interrupts;
static volatile int numbers;

static void count(int number) {
    (void)number;
    interrupts = interrupts + 1;
    numbers = omp_get_thread_num(); // as profilers do
}

static void every(int which, long period_us) {
    const struct itimerval interval = {{0, period_us}, {0, period_us}};
    setitimer(which, &interval, NULL);
}

int main(void) {
    struct sigaction action = {.sa_handler = count};
    sigaction(SIGPROF, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    every(ITIMER_PROF, kPeriod_us);
    every(ITIMER_REAL, kPeriod_us); // interrupts sleepers, too
    for (int round = 0; round < kRounds || interrupts < 100; ++round) {
        use_openmp(2 + round % 3);
        use_nested_openmp(2, 2);
    }
    every(ITIMER_PROF, 0);
    every(ITIMER_REAL, 0);
    return 0;
}
