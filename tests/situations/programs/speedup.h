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
    struct SpeedupTimes least = {1e9, 1e9};
    for (int round = 0; round < 5; ++round) {
        struct timespec before, after;
        omp_set_num_threads(threads);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
        const double began = omp_get_wtime();
        body();
        const double wall_s = omp_get_wtime() - began;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
        const double cpu_s = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
        if (wall_s < least.wall_s) least.wall_s = wall_s;
        if (cpu_s < least.cpu_s) least.cpu_s = cpu_s;
    }
    return least;
}

__attribute__((unused)) static void speedup_judge(void (*body)(void), double most) {
    const struct SpeedupTimes one = speedup_measure(1, body), two = speedup_measure(2, body);
    char text[100];
    snprintf(text, sizeof text, "1 thread %.0f ms, 2 threads %.0f ms; CPU %.0f and %.0f ms", 1e3 * one.wall_s, 1e3 * two.wall_s,
             1e3 * one.cpu_s, 1e3 * two.cpu_s);
    if (two.cpu_s > most * one.cpu_s) WRONG("%s", text);
    printf("note: %s\n", text);
}

#endif
