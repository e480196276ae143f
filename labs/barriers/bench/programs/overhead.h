/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The measure of Al-Khalissi et al. for barriers: what a barrier costs the master, and what it
 * costs the other members on average.
 *
 *   MO    (equation 1)  the master's mean time in the barrier, over all rounds but the first few
 *   ASO   (2 and 3)     the same mean for each slave, averaged over the slaves
 *
 * Both are measured once with nothing between the barriers (pure), and once with members that
 * arrive at different times (unequal): before each barrier a member computes for 0 to SPREAD_NS,
 * which differs in each round. The overhead of the EPCC microbenchmarks is also measured: the
 * master's time for many rounds of a short body and a barrier, minus the time of the bodies,
 * divided by the number of rounds.
 *
 * The program that includes this file starts the threads, and calls take_part in each thread with a
 * function that executes one barrier. All figures are in nanoseconds; the cost of reading the clock
 * is subtracted.
 */
#ifndef OVERHEAD_H
#define OVERHEAD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 1024, MOST_SAMPLES = 100, IGNORED_ROUNDS = 10, SPREAD_NS = 20000, BODY_NS = 100 };
enum { PURE, UNEQUAL, BODIES, KINDS };

typedef struct settings {
    long threads, rounds, samples;
} settings;

/* In turns: a kind's time of each sample, of each thread. A thread writes its own. */
typedef struct account {
    settings asked;
    double* times[MOST_THREADS]; /* [kind * samples + sample]; the thread's own allocation */
} account;

static inline double ns_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline double clock_ns(void) {
    enum { READINGS = 1000 };
    const double start = ns_now();
    for (int i = 0; i < READINGS; ++i)
        (void)ns_now();
    return (ns_now() - start) / (double)READINGS;
}

static inline void compute_for(double ns) {
    const double end = ns_now() + ns;
    while (ns_now() < end) {
    }
}

/* A member's delay in a round: any number that differs, and is the same in each run. */
static inline double delay_ns(long thread, long round) {
    unsigned long mixed = (unsigned long)(thread * 7919 + round) * 0x9e3779b97f4a7c15ul;
    return (double)(mixed >> 40) / (double)(1ul << 24) * (double)SPREAD_NS;
}

typedef void one_barrier(void* barrier, long thread);

/* The mean time of a member in the barrier; for BODIES of a round. */
static inline double mean_of_rounds(const settings* asked, int kind, long thread, one_barrier* meet, void* barrier,
                                    double clock) {
    double sum = 0, begin = 0;
    for (long round = 0; round < asked->rounds + IGNORED_ROUNDS; ++round) {
        if (round == IGNORED_ROUNDS) begin = ns_now();
        if (kind == UNEQUAL) compute_for(delay_ns(thread, round));
        if (kind == BODIES) {
            compute_for((double)BODY_NS);
            meet(barrier, thread);
            continue;
        }
        const double start = ns_now();
        meet(barrier, thread);
        const double time = ns_now() - start - clock;
        if (round >= IGNORED_ROUNDS) sum += time;
    }
    return (kind == BODIES ? ns_now() - begin : sum) / (double)asked->rounds;
}

static inline double mean_body(const settings* asked) {
    const double start = ns_now();
    for (long round = 0; round < asked->rounds; ++round)
        compute_for((double)BODY_NS);
    return (ns_now() - start) / (double)asked->rounds;
}

/* Each thread calls it once, with the same account. */
static inline void take_part(account* to, long thread, one_barrier* meet, void* barrier) {
    const settings* asked = &to->asked;
    const double clock = clock_ns();
    double* times = to->times[thread] = (double*)calloc((size_t)(KINDS * asked->samples), sizeof(double));
    for (long sample = 0; sample < asked->samples; ++sample)
        for (int kind = 0; kind < KINDS; ++kind) {
            const double body = kind == BODIES && thread == 0 ? mean_body(asked) : 0;
            meet(barrier, thread);
            times[kind * asked->samples + sample] = mean_of_rounds(asked, kind, thread, meet, barrier, clock) - body;
        }
}

static inline int compare_times(const void* left, const void* right) {
    const double a = *(const double*)left, b = *(const double*)right;
    return (a > b) - (a < b);
}

/* The median over the samples of the mean over these threads. */
static inline double median_ns(const account* from, int kind, long first, long end) {
    double means[MOST_SAMPLES] = {0};
    for (long sample = 0; sample < from->asked.samples; ++sample)
        for (long thread = first; thread < end; ++thread)
            means[sample] += from->times[thread][kind * from->asked.samples + sample] / (double)(end - first);
    qsort(means, (size_t)from->asked.samples, sizeof *means, compare_times);
    return means[from->asked.samples / 2];
}

/* The lines that the script reads. */
static inline void print_account(const account* from) {
    const long threads = from->asked.threads;
    printf("mo_pure %.1f\nmo_unequal %.1f\nepcc %.1f\n", median_ns(from, PURE, 0, 1), median_ns(from, UNEQUAL, 0, 1),
           median_ns(from, BODIES, 0, 1));
    if (threads > 1)
        printf("aso_pure %.1f\naso_unequal %.1f\n", median_ns(from, PURE, 1, threads),
               median_ns(from, UNEQUAL, 1, threads));
}

static inline long number_after(int argc, char** argv, const char* name, long otherwise, long most) {
    for (int i = 1; i + 1 < argc; ++i)
        if (strcmp(argv[i], name) == 0) {
            const long value = strtol(argv[i + 1], NULL, 10);
            if (value >= 1 && value <= most) return value;
            fprintf(stderr, "%s takes a number from 1 to %ld, not '%s'\n", name, most, argv[i + 1]);
            exit(2);
        }
    return otherwise;
}

static inline settings read_settings(int argc, char** argv) {
    const settings read = {number_after(argc, argv, "--threads", 2, MOST_THREADS),
                           number_after(argc, argv, "--rounds", 1000, 10000000),
                           number_after(argc, argv, "--samples", 5, MOST_SAMPLES)};
    return read;
}

#endif
