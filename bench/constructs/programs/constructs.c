/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures one construct: what a repetition costs beyond the bodies that run in it.
 *
 * First the construct runs with counted bodies, which also creates the threads. Then the program
 * determines how many repetitions fill a sample. Each sample consists of the repetitions with the
 * construct and, right afterwards, a reference run of the bodies alone. The program prints the
 * median of the differences, or another percentile. The reference run takes place in a region with
 * the same number of threads. So the figure contains neither the cost of the region nor the extra
 * time of the bodies when there are more threads than processors. If the construct is itself a
 * region, the reference run has no region.
 */
#include <omp.h>

#include "body.h"
#include "construct.h"
#include "sampling.h"

#include "common/workload.h"

enum { MAX_CONSTRUCTS = 64, MAX_SAMPLES = 1000, CHECKED_ROUNDS = 3 };
static const long MAX_REPETITIONS = 1L << 30;

static const construct* constructs[MAX_CONSTRUCTS];
static const char* names[MAX_CONSTRUCTS];

static long chosen, samples, sample_us, percentile;

static workload_option options[] = {
    {"construct", "what to measure", &chosen, 0, 0, {0, 0, 0}, names},
    {"samples", "samples, of which the percentile is taken", &samples, 1, MAX_SAMPLES, {15, 15, 31}, NULL},
    {"percentile",
     "50 is the median; less leaves out what a busy machine disturbed",
     &percentile,
     0,
     100,
     {50, 50, 50},
     NULL},
    {"sample-us", "how long a sample takes at least", &sample_us, 1, 1000000, {1000, 1000, 2000}, NULL},
};
static const workload self = {
    "constructs",
    "one OpenMP construct many times over: measures what it costs beyond the work inside; --list names all of them",
    options, WORKLOAD_OPTION_COUNT(options)};

static int collect_constructs(void) {
    const construct_list lists[] = {region_constructs, sync_constructs, loop_constructs, exclusion_constructs,
                                    task_constructs};
    int count = 0;
    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; ++list)
        for (int i = 0; i < lists[list].count; ++i)
            constructs[count++] = &lists[list].first[i];
    for (int i = 0; i < count; ++i)
        names[i] = constructs[i]->name;
    return count;
}

/* For scripts: name, settings and meaning, with tabs between them. */
static int list_constructs(int count) {
    for (int i = 0; i < count; ++i)
        printf("%s\t%s\t%s\n", names[i], constructs[i]->settings ? constructs[i]->settings : "", constructs[i]->what);
    return 0;
}

static long bodies_of(const construct* measured, int threads) {
    return measured->bodies_per_thread ? (long)measured->bodies_per_thread * threads : measured->bodies;
}

static long count_bodies(const construct* measured, int threads) {
    const long repetitions = (long)CHECKED_ROUNDS * threads, expected = repetitions * bodies_of(measured, threads);
    body_counting = true;
    bodies_run = 0;
    measured->run(repetitions);
    body_counting = false;
    workload_expect(bodies_run == expected, "%s ran %ld bodies at %d threads, expected %ld", measured->name, bodies_run,
                    threads, expected);
    workload_expect(!body_fault, "%s at %d threads: %s", measured->name, threads, body_fault);
    return bodies_run;
}

/* How many bodies can run at the same time. */
static long width_of(const construct* measured, int threads) {
    const long bodies = bodies_of(measured, threads);
    const int width = threads < processors() ? threads : processors();
    return width < bodies ? width : bodies;
}

static void run_bodies(long count) {
    for (long i = 0; i < count; ++i)
        body();
}

/* What the construct does, without the construct. */
static void run_reference(const construct* measured, int threads, long repetitions) {
    const long bodies = measured->empty ? 0 : bodies_of(measured, threads) * repetitions;
    if (measured->opens_regions) {
        run_bodies(bodies / width_of(measured, threads));
        return;
    }
    const long runners = threads < bodies_of(measured, threads) ? threads : bodies_of(measured, threads);
#pragma omp parallel
    if (omp_get_thread_num() < runners) run_bodies(bodies / runners);
}

static double time_construct(const construct* measured, long repetitions) {
    const double start = seconds_now();
    measured->run(repetitions);
    return seconds_now() - start;
}

static double time_reference(const construct* measured, int threads, long repetitions) {
    const double start = seconds_now();
    run_reference(measured, threads, repetitions);
    return seconds_now() - start;
}

static long repetitions_per_sample(const construct* measured, int threads) {
    long repetitions = threads;
    while (repetitions < MAX_REPETITIONS && time_construct(measured, repetitions) < (double)sample_us * 1e-6)
        repetitions *= 2;
    return repetitions;
}

/* The shares of a figure: repetitions, or processor time per body. */
static double shares_of(const construct* measured, int threads, long repetitions) {
    if (!measured->per_body) return (double)repetitions;
    return (double)(repetitions * bodies_of(measured, threads)) / (double)width_of(measured, threads);
}

static double typical_overhead(const construct* measured, int threads) {
    const long repetitions = repetitions_per_sample(measured, threads);
    double times[MAX_SAMPLES];
    for (int sample = 0; sample < samples; ++sample) {
        const double reference_s = time_reference(measured, threads, repetitions);
        times[sample] = time_construct(measured, repetitions) - reference_s;
    }
    return percentile_of(times, samples, percentile) / shares_of(measured, threads, repetitions);
}

int main(int argc, char** argv) {
    const int count = collect_constructs();
    options[0].max = count - 1;
    if (argc == 2 && !strcmp(argv[1], "--list")) return list_constructs(count);
    workload_init(&self, argc, argv);
    const construct* measured = constructs[chosen];
    const int threads = omp_get_max_threads();
    const long counted = count_bodies(measured, threads);
    return report_time("constructs", measured->name, typical_overhead(measured, threads), counted);
}
