// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the programs in this folder: grains of a known length, and a log of each grain by
// the program's own clock. The log is a mapped file, so nothing has to be written at the end.
//
// A grain spins until it has used its length on a processor. A step of the clock that is longer
// than GAP_US does not count, because the thread was descheduled during that step. `ran` is the
// counted time, `end - begin` the wall time. Each thread writes to its own part of the log. Marks
// also contain the CPU time that the thread has used.
//
// Environment: TRUTH_LOG is the file; TRUTH_TICKS_PER_US is the rate of the clock, so that the
// program need not measure it; TRUTH_SPARE_TICKS is the cost of a grain outside its own time
// stamps.

#ifndef TRUTH_H
#define TRUTH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum {
    GRAIN = 1, // work that is like all other
    HOLD = 2,  // work within a lock, a critical or an ordered region, a single construct
    OWN = 3,   // work of the task that creates the others
    OTHER = 4, // work of a second kind of task
    FIRST_MARK = 16,
    REGION_BEGINS = 16,
    REGION_ENDS = 17,
    CREATION_BEGINS = 18,
    CREATION_ENDS = 19,
};

enum { GAP_US = 200, MARKS = 64, LOG_THREADS = 64 };

struct truth_piece {
    uint64_t begin, end; // ticks
    uint64_t ran;        // ticks on a processor; of a mark: CPU time of the thread in ns
    uint32_t kind, thread;
    int64_t a, b; // what the program calls it
};

// The log's first page.
struct truth_header {
    uint64_t begin, end, begin_ns, end_ns; // ticks, and CLOCK_MONOTONIC
    uint64_t begin_cpu_ns, end_cpu_ns;     // of the initial thread
    uint64_t ticks_per_us, threads, capacity, spare_ticks;
};

#define TRUTH_PAGE 4096

static struct truth_header* truth;
static uint64_t truth_gap;
static uint64_t truth_next_thread;
static __thread struct truth_piece* truth_slot;
static __thread uint32_t truth_thread;

// What threads that have ended left of their parts of the log.
static struct {
    pthread_mutex_t mutex;
    pthread_key_t key;
    int count;
    struct {
        uint32_t thread;
        struct truth_piece* slot;
    } parts[LOG_THREADS];
} truth_left = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int64_t N; // how many grains
static int64_t G; // ticks of one

static uint64_t truth_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t truth_number(const char* name, uint64_t otherwise) {
    const char* text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static uint64_t truth_rate(void) {
    uint64_t ns = truth_ns(CLOCK_MONOTONIC), ticks = __rdtsc(), now;
    do {
        now = truth_ns(CLOCK_MONOTONIC);
    } while (now - ns < 10000000);
    return (__rdtsc() - ticks) * 1000 / (now - ns);
}

static void truth_thread_ends(void* unused) {
    (void)unused;
    pthread_mutex_lock(&truth_left.mutex);
    truth_left.parts[truth_left.count].thread = truth_thread;
    truth_left.parts[truth_left.count++].slot = truth_slot;
    pthread_mutex_unlock(&truth_left.mutex);
}

__attribute__((noinline, cold)) static void truth_own_part(void) {
    pthread_mutex_lock(&truth_left.mutex);
    if (truth_left.count) {
        truth_thread = truth_left.parts[--truth_left.count].thread;
        truth_slot = truth_left.parts[truth_left.count].slot;
    } else {
        truth_thread = (uint32_t)truth_next_thread++;
        truth_slot = (struct truth_piece*)((char*)truth + TRUTH_PAGE) + truth_thread * truth->capacity;
    }
    pthread_mutex_unlock(&truth_left.mutex);
    if (truth_thread >= LOG_THREADS) abort();
    pthread_setspecific(truth_left.key, &truth_left);
}

static inline struct truth_piece* truth_piece(uint32_t kind, int64_t a, int64_t b) {
    if (!truth_slot) truth_own_part();
    struct truth_piece* piece = truth_slot++;
    piece->kind = kind;
    piece->thread = truth_thread;
    piece->a = a;
    piece->b = b;
    return piece;
}

__attribute__((noinline)) static void grain(uint32_t kind, int64_t ticks, int64_t a, int64_t b) {
    uint64_t last = __rdtsc(), ran = 0;
    struct truth_piece* piece = truth_piece(kind, a, b);
    piece->begin = last;
    do {
        uint64_t now = __rdtsc(), step = now - last;
        if (step < truth_gap) ran += step;
        last = now;
    } while (ran < (uint64_t)ticks);
    piece->ran = ran;
    piece->end = last;
}

__attribute__((noinline, unused)) static void mark(uint32_t kind) {
    struct truth_piece* piece = truth_piece(kind, 0, 0);
    piece->ran = truth_ns(CLOCK_THREAD_CPUTIME_ID);
    piece->begin = piece->end = __rdtsc();
}

// What a grain costs that has no length: for TRUTH_SPARE_TICKS.
static void truth_calibrate(void) {
    struct truth_piece* begin = truth_slot;
    uint64_t best = UINT64_MAX;
    for (int round = 0; round < 100; round++) {
        uint64_t from = __rdtsc(), within = 0;
        for (int i = 0; i < 100; i++) {
            grain(GRAIN, 0, 0, 0);
            within += truth_slot[-1].ran;
        }
        uint64_t spare = (__rdtsc() - from - within) / 100;
        if (spare < best) best = spare;
        truth_slot = begin;
    }
    printf("%lu %lu\n", truth->ticks_per_us, best);
}

// Arguments: the grain's length in us, and how many grains there are. `most` is how many of them
// a thread may come to log for each.
static void truth_begin(int count, char** words, int most) {
    uint64_t begin = __rdtsc(), begin_cpu = truth_ns(CLOCK_THREAD_CPUTIME_ID), begin_ns = truth_ns(CLOCK_MONOTONIC);
    uint64_t rate = truth_number("TRUTH_TICKS_PER_US", 0), threads = truth_number("OMP_NUM_THREADS", 2);
    const char* file = getenv("TRUTH_LOG");
    double us = count > 1 ? atof(words[1]) : 20;
    N = count > 2 ? atoll(words[2]) : 200;
    if (!rate) rate = truth_rate();
    uint64_t capacity = (uint64_t)N * (uint64_t)most + MARKS;
    size_t bytes = TRUTH_PAGE + LOG_THREADS * capacity * sizeof(struct truth_piece);
    size_t touched = TRUTH_PAGE + threads * capacity * sizeof(struct truth_piece);
    int descriptor = open(file ? file : "/dev/null", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int flags = MAP_SHARED;
    if (file && (descriptor < 0 || ftruncate(descriptor, (off_t)bytes))) {
        perror(file);
        exit(1);
    }
    if (!file) flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    truth = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file ? descriptor : -1, 0);
    if (truth == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    close(descriptor);
    for (size_t at = 0; at < touched && at < bytes; at += TRUTH_PAGE)
        ((volatile char*)truth)[at] = 0;
    truth->ticks_per_us = rate;
    truth->capacity = capacity;
    truth->spare_ticks = truth_number("TRUTH_SPARE_TICKS", 0);
    truth->begin = begin;
    truth->begin_ns = begin_ns;
    truth->begin_cpu_ns = begin_cpu;
    truth_gap = rate * GAP_US;
    G = (int64_t)(us * (double)rate);
    pthread_key_create(&truth_left.key, truth_thread_ends);
    truth_own_part();
    if (getenv("TRUTH_CALIBRATE")) {
        truth_calibrate();
        exit(0);
    }
}

static int truth_end(void) {
    truth->threads = truth_next_thread;
    truth->end_ns = truth_ns(CLOCK_MONOTONIC);
    truth->end_cpu_ns = truth_ns(CLOCK_THREAD_CPUTIME_ID);
    truth->end = __rdtsc();
    return 0;
}

#endif
