/* SPDX-License-Identifier: Apache-2.0 */
/* Several taskloops one after the other, each of many small tasks. */
#include "common/hash.h"
#include "common/workload.h"

static long loops, tasks, rounds;

static const workload_option options[] = {
    {"loops", "taskloops, one after the other", &loops, 1, 100000, {2, 20, 80}, NULL},
    {"tasks", "tasks per taskloop, one iteration each", &tasks, 1, 1000000, {500, 2000, 2000}, NULL},
    {"rounds", "work per task, in hash rounds (about 2 ns each)", &rounds, 0, 10000000, {2000, 2000, 2000}, NULL},
};
static const workload self = {
    "taskloop",
    "taskloops of thousands of tasks of about 4 us each: measures how fast a loop of tasks is handed out and gathered",
    options, WORKLOAD_OPTION_COUNT(options)};

static uint64_t run_loop(uint64_t* result, long loop) {
    uint64_t sum = 0;
#pragma omp taskloop grainsize(1)
    for (long i = 0; i < tasks; ++i)
        result[i] = hash_chain((uint64_t)(loop * tasks + i), rounds);
    for (long i = 0; i < tasks; ++i)
        sum += result[i];
    return sum;
}

static uint64_t run_serially(void) {
    uint64_t sum = 0;
    for (long i = 0; i < loops * tasks; ++i)
        sum += hash_chain((uint64_t)i, rounds);
    return sum;
}

int main(int argc, char** argv) {
    uint64_t sum = 0;
    workload_init(&self, argc, argv);
    uint64_t* result = workload_allocate((size_t)tasks * sizeof *result);
    const double start = workload_seconds();
#pragma omp parallel
#pragma omp single
    for (long loop = 0; loop < loops; ++loop)
        sum += run_loop(result, loop);
    const double time_s = workload_seconds() - start;
    free(result);
    if (workload_check_wanted()) {
        const uint64_t expected = run_serially();
        workload_expect(sum == expected, "sum is %#lx, expected %#lx", (unsigned long)sum, (unsigned long)expected);
    }
    return workload_report(time_s, loops * tasks, "%#lx", (unsigned long)sum);
}
