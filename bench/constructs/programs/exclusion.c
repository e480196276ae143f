/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutual exclusion. Contended: the team divides the repetitions, and all threads do nothing but
 * enter. Alone: one thread of the team enters, and the others wait at the end of the region.
 */
#include <omp.h>

#include "body.h"
#include "construct.h"

#define PRAGMA(text) _Pragma(#text)

#define CONTENDED(function, enter)                                                                                     \
    static void function(long repetitions) {                                                                           \
        PRAGMA(omp parallel) {                                                                                         \
            const long own = repetitions / omp_get_num_threads();                                                      \
            for (long i = 0; i < own; ++i)                                                                             \
                enter;                                                                                                 \
        }                                                                                                              \
    }

#define ALONE(function, enter)                                                                                         \
    static void function(long repetitions) {                                                                           \
        PRAGMA(omp parallel)                                                                                           \
        PRAGMA(omp masked)                                                                                             \
        for (long i = 0; i < repetitions; ++i)                                                                         \
            enter;                                                                                                     \
    }

static inline void enter_critical(void) {
#pragma omp critical(measured)
    body();
}

/* Static storage: a lock's neighbours must be the same on every runtime. */
static omp_lock_t lock __attribute__((aligned(64)));
static omp_nest_lock_t nest_lock __attribute__((aligned(64)));

__attribute__((constructor)) static void init_locks(void) {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
}

static inline void enter_lock(void) {
    omp_set_lock(&lock);
    body();
    omp_unset_lock(&lock);
}

static inline void enter_nest_lock(void) {
    omp_set_nest_lock(&nest_lock);
    body();
    omp_unset_nest_lock(&nest_lock);
}

CONTENDED(run_critical, enter_critical())
ALONE(run_critical_alone, enter_critical())
CONTENDED(run_lock, enter_lock())
ALONE(run_lock_alone, enter_lock())
CONTENDED(run_nest_lock, enter_nest_lock())
ALONE(run_nest_lock_alone, enter_nest_lock())

static void run_atomic(long repetitions) {
    long sum = 0;
#pragma omp parallel
    {
        const long own = repetitions / omp_get_num_threads();
        for (long i = 0; i < own; ++i) {
#pragma omp atomic
            sum += 1;
        }
    }
    if (body_counting) bodies_run += sum;
}

/* No processor instruction does this one, so the runtime's own lock must. */
static void run_atomic_fallback(long repetitions) {
    long double sum = 0;
#pragma omp parallel
    {
        const long own = repetitions / omp_get_num_threads();
        for (long i = 0; i < own; ++i) {
#pragma omp atomic
            sum += 1;
        }
    }
    if (body_counting) bodies_run += (long)sum;
}

static const construct constructs[] = {
    {.name = "critical", .what = "critical, contended", .run = run_critical, .bodies = 1},
    {.name = "critical_alone", .what = "critical, one thread", .run = run_critical_alone, .bodies = 1},
    {.name = "lock", .what = "lock, contended", .run = run_lock, .bodies = 1},
    {.name = "lock_alone", .what = "lock, one thread", .run = run_lock_alone, .bodies = 1},
    {.name = "nest_lock", .what = "nestable lock, contended", .run = run_nest_lock, .bodies = 1},
    {.name = "nest_lock_alone", .what = "nestable lock, one thread", .run = run_nest_lock_alone, .bodies = 1},
    {.name = "atomic", .what = "atomic, contended", .run = run_atomic, .bodies = 1, .empty = true},
    {.name = "atomic_fallback",
     .what = "atomic of 16 bytes, contended",
     .run = run_atomic_fallback,
     .bodies = 1,
     .empty = true},
};
const construct_list exclusion_constructs = CONSTRUCT_LIST(constructs);
