/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures what the system alone costs: threads wake each other with one futex each, without any
 * runtime.
 *
 *   pair   two threads take turns, each on its own processor if there are two: a turn wakes a thread
 *          on another processor.
 *   ring   OMP_NUM_THREADS threads, distributed evenly over the processors, take turns. The figure
 *          is one round, in which each thread gets its turn once. No barrier of the same number of
 *          sleeping threads can take less time.
 *
 * In both cases a thread that has woken the next thread sleeps until its own turn comes again, so a
 * turn is a wake-up and a sleep.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sampling.h"

#define WORKLOAD_THREADS() 0
#include "common/workload.h"

enum { MAX_THREADS = 1024, MAX_SAMPLES = 1000 };
enum { PAIR, RING };

static long shape, samples, rounds;

static const char* const shapes[] = {"pair", "ring", NULL};
static const workload_option options[] = {
    {"shape", "who takes turns", &shape, 0, 1, {0, 0, 0}, shapes},
    {"samples", "samples, of which the median is taken", &samples, 1, MAX_SAMPLES, {15, 15, 31}, NULL},
    {"rounds", "rounds per sample", &rounds, 1, 1000000, {200, 200, 400}, NULL},
};
static const workload self = {"floor",
                              "threads that hand over with futexes: what context switches cost without a runtime",
                              options, WORKLOAD_OPTION_COUNT(options)};

typedef struct seat {
    _Alignas(64) atomic_uint turns; /* how many turns were handed to this seat */
    struct seat* next;
    int processor;
} seat;

static seat seats[MAX_THREADS];
static pthread_barrier_t sample_begins, sample_ends;

static void await_turn(seat* own, unsigned turn) {
    unsigned seen;
    while ((seen = atomic_load_explicit(&own->turns, memory_order_acquire)) != turn)
        syscall(SYS_futex, &own->turns, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void hand_over(seat* next) {
    atomic_fetch_add_explicit(&next->turns, 1, memory_order_release);
    syscall(SYS_futex, &next->turns, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The seat that begins has its first turn already. */
static void take_turns(seat* own, unsigned* turn) {
    for (long round = 0; round < rounds; ++round) {
        await_turn(own, ++*turn);
        hand_over(own->next);
    }
}

static int nth_processor(int n) {
    cpu_set_t usable;
    sched_getaffinity(0, sizeof usable, &usable);
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        if (CPU_ISSET(processor, &usable) && n-- == 0) return processor;
    return 0;
}

static void* sit(void* argument) {
    seat* own = argument;
    unsigned turn = 0;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(own->processor, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    for (long sample = 0; sample < samples; ++sample) {
        pthread_barrier_wait(&sample_begins);
        take_turns(own, &turn);
        pthread_barrier_wait(&sample_ends);
    }
    return NULL;
}

/* Seats `first`, `first + step`, ... below `count` take turns with each other. */
static void make_circle(int first, int step, int count) {
    for (int i = first; i < count; i += step)
        seats[i].next = i + step < count ? &seats[i + step] : &seats[first];
    atomic_store_explicit(&seats[first].turns, 1, memory_order_relaxed);
}

static void seat_threads(int count) {
    const int width = processors(), circles = shape == RING ? (count < width ? count : width) : 1;
    for (int i = 0; i < count; ++i)
        seats[i].processor = nth_processor(i % width);
    for (int circle = 0; circle < circles; ++circle)
        make_circle(circle, circles, count);
}

static void start_threads(int count) {
    for (int i = 0; i < count; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, sit, &seats[i])) {
            fprintf(stderr, "floor: cannot create thread %d of %d\n", i + 1, count);
            exit(1);
        }
        pthread_detach(thread);
    }
}

static double median_round(void) {
    double times[MAX_SAMPLES];
    for (long sample = 0; sample < samples; ++sample) {
        pthread_barrier_wait(&sample_begins);
        const double start = seconds_now();
        pthread_barrier_wait(&sample_ends);
        times[sample] = (seconds_now() - start) / (double)rounds;
    }
    return median_of(times, samples);
}

static int threads_wanted(void) {
    const char* text = getenv("OMP_NUM_THREADS");
    const long wanted = text ? strtol(text, NULL, 10) : processors();
    return wanted < 1 ? 1 : wanted > MAX_THREADS ? MAX_THREADS : (int)wanted;
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    const int count = shape == PAIR ? 2 : threads_wanted();
    seat_threads(count);
    pthread_barrier_init(&sample_begins, NULL, (unsigned)count + 1);
    pthread_barrier_init(&sample_ends, NULL, (unsigned)count + 1);
    start_threads(count);
    return report_time("floor", shapes[shape], median_round() / (shape == PAIR ? 2 : 1), count);
}
