/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer is itself a task that another thread has stolen. This is slow on a runtime that
 * keeps all tasks at the region's first thread, or that lets only a parent's thread run its
 * children.
 */
#include <sched.h>
#include <stdatomic.h>

#include "common/hash.h"
#include "common/workload.h"

static long tasks, rounds;

static const workload_option options[] = {
    {"tasks", "tasks to create", &tasks, 1, 100000000, {10000, 500000, 2000000}, NULL},
    {"rounds", "work per task, in hash rounds (about 2 ns each)", &rounds, 0, 1000000, {50, 50, 50}, NULL},
};
static const workload self = {
    "stolen_producer",
    "one task creates all others, and it runs on another thread than the one that created it: measures stealing from "
    "a thief",
    options, WORKLOAD_OPTION_COUNT(options)};

static __thread long executed;
static atomic_int producer_runs;

static void produce(void) {
    atomic_store(&producer_runs, 1);
    for (long i = 0; i < tasks; ++i) {
#pragma omp task
        if (hash_chain((uint64_t)i, rounds) != 0) ++executed; /* zero for none of them: the mixing is a bijection */
    }
#pragma omp taskwait
}

/* With one thread nobody could steal, so nobody waits. */
static void wait_until_stolen(void) {
    while (omp_get_num_threads() > 1 && !atomic_load(&producer_runs))
        sched_yield();
}

int main(int argc, char** argv) {
    long total = 0;
    workload_init(&self, argc, argv);
    const double start = workload_seconds();
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp task
            produce();
            wait_until_stolen();
        }
#pragma omp atomic
        total += executed;
    }
    const double time_s = workload_seconds() - start;
    workload_expect(total == tasks, "%ld tasks ran, expected %ld", total, tasks);
    return workload_report(time_s, tasks, "%ld", total);
}
