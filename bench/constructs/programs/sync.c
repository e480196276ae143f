/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, and constructs whose body is executed by one or a few threads. */
#include <omp.h>

#include "body.h"
#include "construct.h"

static void run_barrier(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
        body();
#pragma omp barrier
    }
}

/* A region that could be cancelled has barriers that can be left early. */
static void run_cancel_barrier(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
        body();
        if (i < 0) {
#pragma omp cancel parallel
        }
#pragma omp barrier
    }
}

static void run_single(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
#pragma omp single
        body();
    }
}

static void run_single_nowait(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
#pragma omp single nowait
        body();
    }
}

static void run_copyprivate(long repetitions) {
    long wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    for (long i = 0; i < repetitions; ++i) {
        long value = -1;
#pragma omp single copyprivate(value)
        {
            body();
            value = i;
        }
        wrong += value != i;
    }
    if (wrong) body_fault = "a thread did not get the value";
}

static void run_masked(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
#pragma omp masked
        body();
    }
}

static void run_sections(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
#pragma omp sections
        {
            body();
#pragma omp section
            body();
        }
    }
}

/* Each thread asks who it is, among how many. */
static void run_queries(long repetitions) {
#pragma omp parallel
    {
        long sum = 0;
        for (long i = 0; i < repetitions; ++i) {
            sum += omp_get_thread_num() + omp_get_num_threads();
            body();
        }
        __asm__ volatile("" : : "r"(sum));
    }
}

static const construct constructs[] = {
    {.name = "barrier", .what = "barrier", .run = run_barrier, .bodies_per_thread = 1},
    {.name = "cancel_barrier",
     .what = "barrier of a region that may be cancelled",
     .run = run_cancel_barrier,
     .bodies_per_thread = 1,
     .settings = "OMP_CANCELLATION=true"},
    {.name = "single", .what = "single", .run = run_single, .bodies = 1},
    {.name = "single_nowait", .what = "single nowait", .run = run_single_nowait, .bodies = 1},
    {.name = "copyprivate", .what = "single copyprivate", .run = run_copyprivate, .bodies = 1},
    {.name = "masked", .what = "masked", .run = run_masked, .bodies = 1},
    {.name = "queries",
     .what = "omp_get_thread_num and omp_get_num_threads",
     .run = run_queries,
     .bodies_per_thread = 1},
    {.name = "sections", .what = "two sections", .run = run_sections, .bodies = 2},
};
const construct_list sync_constructs = CONSTRUCT_LIST(constructs);
