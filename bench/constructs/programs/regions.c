/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel regions: one per repetition. */
#include <omp.h>

#include "body.h"
#include "construct.h"

static void run_parallel(long repetitions) {
    for (long i = 0; i < repetitions; ++i) {
#pragma omp parallel
        body();
    }
}

static void run_parallel_for(long repetitions) {
    const int threads = omp_get_max_threads();
    for (long i = 0; i < repetitions; ++i) {
#pragma omp parallel for schedule(static)
        for (int part = 0; part < threads; ++part)
            body();
    }
}

static void run_firstprivate(long repetitions) {
    long values[32] = {0};
    for (long i = 0; i < repetitions; ++i) {
        values[0] = i;
#pragma omp parallel firstprivate(values)
        {
            __asm__ volatile("" : : "r"(values) : "memory");
            body();
        }
    }
}

static void run_reduction(long repetitions) {
    long sum = 0;
    for (long i = 0; i < repetitions; ++i) {
#pragma omp parallel reduction(+ : sum)
        {
            body();
            sum += 1;
        }
    }
    if (body_counting && sum != bodies_run) body_fault = "the sum is wrong";
}

/* The body is that of the last but one thread, and so of none if the inner team has not got its second. */
static void run_nested(long repetitions) {
    omp_set_max_active_levels(2);
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == omp_get_num_threads() - 2) body();
    }
}

static const construct constructs[] = {
    {.name = "parallel",
     .what = "a parallel region",
     .run = run_parallel,
     .bodies_per_thread = 1,
     .opens_regions = true},
    {.name = "parallel_for",
     .what = "parallel for, static",
     .run = run_parallel_for,
     .bodies_per_thread = 1,
     .opens_regions = true},
    {.name = "firstprivate",
     .what = "a region with 256 firstprivate bytes",
     .run = run_firstprivate,
     .bodies_per_thread = 1,
     .opens_regions = true},
    {.name = "reduction",
     .what = "a region that sums up a long",
     .run = run_reduction,
     .bodies_per_thread = 1,
     .opens_regions = true},
    {.name = "nested", .what = "each thread: an inner region of 2 threads", .run = run_nested, .bodies_per_thread = 1},
};
const construct_list region_constructs = CONSTRUCT_LIST(constructs);
