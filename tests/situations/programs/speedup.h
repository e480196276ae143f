// SPDX-License-Identifier: Apache-2.0
//
// Measures how much faster two threads are than one, as a note for the table of runtimes. On a
// machine with other users a test may only assert processor time: threads that compete for a lock,
// or wake each other for each task, use far more processor time than one thread alone.
#ifndef SPEEDUP_H
#define SPEEDUP_H

#include "situation.h"

#include <omp.h>

struct SpeedupTimes {
    double wall_s;
    double cpu_s;
};

__attribute__((unused)) static struct SpeedupTimes speedup_measure(int threads, void (*body)(void)) {
    struct timespec before, after;
    omp_set_num_threads(threads);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    const double began = omp_get_wtime();
    body();
    const double wall_s = omp_get_wtime() - began;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const double cpu_s = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    return (struct SpeedupTimes){wall_s, cpu_s};
}

// One thread and two threads take turns, because the processor's speed changes from second to
// second. The pair of turns with the smallest ratio counts. `most`: the largest ratio that is
// right.
__attribute__((unused)) static void speedup_judge(void (*body)(void), double most) {
    struct SpeedupTimes one = {0, 0}, two = {0, 0};
    double least = 1e9;
    for (int round = 0; round < 5; ++round) {
        const struct SpeedupTimes first = speedup_measure(1, body), second = speedup_measure(2, body);
        const double ratio = second.cpu_s / first.cpu_s;
        if (ratio >= least) continue;
        least = ratio;
        one = first;
        two = second;
    }
    char text[100];
    snprintf(text, sizeof text, "1 thread %.0f ms, 2 threads %.0f ms; CPU %.0f and %.0f ms", 1e3 * one.wall_s, 1e3 * two.wall_s,
             1e3 * one.cpu_s, 1e3 * two.cpu_s);
    if (least > most) WRONG("%s", text);
    printf("note: %s\n", text);
}

#endif
