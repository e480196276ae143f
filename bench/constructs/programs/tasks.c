/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit tasks, and the constructs that wait for them. */
#include <omp.h>

#include "body.h"
#include "construct.h"

static void run_task_each(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
#pragma omp task
        body();
    }
}

static void run_task_producer(long repetitions) {
#pragma omp parallel
#pragma omp masked
    for (long i = 0; i < repetitions * omp_get_num_threads(); ++i) {
#pragma omp task
        body();
    }
}

static void run_task_undeferred(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
#pragma omp task if (0)
        body();
    }
}

static void run_taskwait(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
#pragma omp task
        body();
#pragma omp taskwait
    }
}

static void run_taskwait_empty(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
        body();
#pragma omp taskwait
    }
}

static void run_taskgroup(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
#pragma omp taskgroup
        {
#pragma omp task
            body();
        }
    }
}

static void run_taskloop(long repetitions) {
#pragma omp parallel
#pragma omp masked
    for (long i = 0; i < repetitions; ++i) {
        const int threads = omp_get_num_threads();
#pragma omp taskloop grainsize(1)
        for (int part = 0; part < threads; ++part)
            body();
    }
}

static void run_taskyield(long repetitions) {
#pragma omp parallel
    for (long i = 0; i < repetitions; ++i) {
        body();
#pragma omp taskyield
    }
}

static const construct constructs[] = {
    {.name = "task_each", .what = "a task, all threads create", .run = run_task_each, .bodies_per_thread = 1},
    {.name = "task_producer",
     .what = "a task per thread, one creates",
     .run = run_task_producer,
     .bodies_per_thread = 1},
    {.name = "task_undeferred", .what = "task if(0)", .run = run_task_undeferred, .bodies_per_thread = 1},
    {.name = "taskwait", .what = "a task and taskwait", .run = run_taskwait, .bodies_per_thread = 1},
    {.name = "taskwait_empty", .what = "taskwait without tasks", .run = run_taskwait_empty, .bodies_per_thread = 1},
    {.name = "taskgroup", .what = "a task in a taskgroup", .run = run_taskgroup, .bodies_per_thread = 1},
    {.name = "taskloop", .what = "taskloop of a task per thread", .run = run_taskloop, .bodies_per_thread = 1},
    {.name = "taskyield", .what = "taskyield", .run = run_taskyield, .bodies_per_thread = 1},
};
const construct_list task_constructs = CONSTRUCT_LIST(constructs);
