/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work-sharing loops. The first group measures the construct: one loop per repetition, with as many
 * iterations as threads. The second group measures a chunk: loops with many chunks of one
 * iteration, where the construct itself costs little in comparison.
 */
#include <omp.h>

#include "body.h"
#include "construct.h"

#define PRAGMA(text) _Pragma(#text)

/* A function that runs `repetitions` loops of one iteration per thread. */
#define LOOP(function, clauses)                                                                                        \
    static void function(long repetitions) {                                                                           \
        PRAGMA(omp parallel)                                                                                           \
        for (long i = 0; i < repetitions; ++i) {                                                                       \
            const int threads = omp_get_num_threads();                                                                 \
            PRAGMA(omp for clauses)                                                                                    \
            for (int part = 0; part < threads; ++part)                                                                 \
                body();                                                                                                \
        }                                                                                                              \
    }

/* The same with many chunks in each loop. */
#define CHUNKS(function, clauses)                                                                                      \
    static void function(long repetitions) {                                                                           \
        PRAGMA(omp parallel)                                                                                           \
        for (long i = 0; i < repetitions; ++i) {                                                                       \
            const int chunks = CHUNKS_PER_THREAD * omp_get_num_threads();                                              \
            PRAGMA(omp for clauses)                                                                                    \
            for (int chunk = 0; chunk < chunks; ++chunk)                                                               \
                body();                                                                                                \
        }                                                                                                              \
    }

LOOP(run_static, schedule(static))
LOOP(run_static_1, schedule(static, 1))
LOOP(run_dynamic_1, schedule(dynamic, 1))
LOOP(run_monotonic, schedule(monotonic : dynamic, 1))
LOOP(run_guided, schedule(guided))
LOOP(run_runtime, schedule(runtime))
LOOP(run_static_nowait, schedule(static) nowait)
LOOP(run_dynamic_nowait, schedule(dynamic, 1) nowait)

CHUNKS(run_dynamic_chunks, schedule(dynamic, 1))
CHUNKS(run_monotonic_chunks, schedule(monotonic : dynamic, 1))
CHUNKS(run_guided_chunks, schedule(guided))

/* One iteration per repetition: bodies run one after the other, each on the thread after the last one's. */
static void run_ordered(long repetitions) {
#pragma omp parallel for ordered schedule(static, 1)
    for (long i = 0; i < repetitions; ++i) {
#pragma omp ordered
        body();
        if (body_counting && i % omp_get_num_threads() != omp_get_thread_num())
            body_fault = "static,1 gave an iteration to another thread than it says";
    }
}

static void run_ordered_dynamic(long repetitions) {
#pragma omp parallel for ordered schedule(dynamic, 1)
    for (long i = 0; i < repetitions; ++i) {
#pragma omp ordered
        body();
    }
}

static const construct constructs[] = {
    {.name = "for_static", .what = "for, static", .run = run_static, .bodies_per_thread = 1},
    {.name = "for_static_1", .what = "for, static,1", .run = run_static_1, .bodies_per_thread = 1},
    {.name = "for_dynamic_1", .what = "for, dynamic,1", .run = run_dynamic_1, .bodies_per_thread = 1},
    {.name = "for_monotonic", .what = "for, monotonic:dynamic,1", .run = run_monotonic, .bodies_per_thread = 1},
    {.name = "for_guided", .what = "for, guided", .run = run_guided, .bodies_per_thread = 1},
    {.name = "for_runtime", .what = "for, runtime", .run = run_runtime, .bodies_per_thread = 1},
    {.name = "for_nowait", .what = "for, static, nowait", .run = run_static_nowait, .bodies_per_thread = 1},
    {.name = "for_dynamic_nowait", .what = "for, dynamic,1, nowait", .run = run_dynamic_nowait, .bodies_per_thread = 1},
    {.name = "chunk_dynamic",
     .what = "a chunk of dynamic,1",
     .run = run_dynamic_chunks,
     .bodies_per_thread = CHUNKS_PER_THREAD,
     .per_body = true},
    {.name = "chunk_monotonic",
     .what = "a chunk of monotonic:dynamic,1",
     .run = run_monotonic_chunks,
     .bodies_per_thread = CHUNKS_PER_THREAD,
     .per_body = true},
    {.name = "chunk_guided",
     .what = "an iteration of guided",
     .run = run_guided_chunks,
     .bodies_per_thread = CHUNKS_PER_THREAD,
     .per_body = true},
    {.name = "ordered", .what = "ordered, static,1", .run = run_ordered, .bodies = 1},
    {.name = "ordered_dynamic", .what = "ordered, dynamic,1", .run = run_ordered_dynamic, .bodies = 1},
};
const construct_list loop_constructs = CONSTRUCT_LIST(constructs);
