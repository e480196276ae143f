/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the time between regions: how much processor time the workers use while the leader
 * sleeps, or how long the next region takes after a pause in which the leader sleeps or computes.
 * One run measures one of these figures.
 */
#include <errno.h>
#include <omp.h>
#include <stdatomic.h>

#include "sampling.h"

#include "common/workload.h"

enum { MAX_SAMPLES = 100000 };
enum { IDLE_CPU, LATENCY_SLEEPING, LATENCY_BUSY };

static long figure, pause_us, samples;

static const char* const figures[] = {"idle_cpu", "latency_sleeping", "latency_busy", NULL};
static const workload_option options[] = {
    {"figure",
     "processor time of an idle team, or the time of the region after a pause",
     &figure,
     0,
     2,
     {0, 0, 0},
     figures},
    {"pause-us", "how long the leader pauses", &pause_us, 1, 10000000, {1000, 1000, 1000}, NULL},
    {"samples", "pauses, of whose figures the median is taken", &samples, 1, MAX_SAMPLES, {20, 100, 1000}, NULL},
};
static const workload self = {
    "idle", "a region, a pause, the next region: what the team costs meanwhile, and how soon it is back", options,
    WORKLOAD_OPTION_COUNT(options)};

static atomic_long entered;

static void region(void) {
#pragma omp parallel
    atomic_fetch_add_explicit(&entered, 1, memory_order_relaxed);
}

static void sleep_for(double seconds) {
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) && errno == EINTR) {
    }
}

static void compute_for(double seconds) {
    const double end = seconds_now() + seconds;
    while (seconds_now() < end) {
    }
}

static double idle_cpu(double pause_s) {
    const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    sleep_for(pause_s);
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static double next_region(double pause_s) {
    if (figure == LATENCY_BUSY) compute_for(pause_s);
    else sleep_for(pause_s);
    const double start = seconds_now();
    region();
    return seconds_now() - start;
}

int main(int argc, char** argv) {
    static double times[MAX_SAMPLES];
    workload_init(&self, argc, argv);
    region(); /* creates the threads */
    region();
    for (long i = 0; i < samples; ++i) {
        region();
        times[i] = figure == IDLE_CPU ? idle_cpu((double)pause_us * 1e-6) : next_region((double)pause_us * 1e-6);
    }
    const long regions = samples + 2 + (figure == IDLE_CPU ? 0 : samples);
    workload_expect(atomic_load(&entered) == regions * omp_get_max_threads(), "%ld threads came to %ld regions",
                    atomic_load(&entered), regions);
    return report_time("idle", figures[figure], median_of(times, samples), omp_get_max_threads());
}
