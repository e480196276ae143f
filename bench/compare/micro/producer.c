/* SPDX-License-Identifier: Apache-2.0 */
/* One thread creates very many almost empty tasks; the other threads can only steal them from it.
*/
#include "common/workload.h"

static long tasks;

static const workload_option options[] = {
    {"tasks", "tasks to create", &tasks, 1, 100000000, {10000, 1000000, 4000000}, NULL},
};
static const workload self = {
    "producer",
    "one thread creates tasks that do nothing but count themselves: measures the cost of a task that is given away",
    options, WORKLOAD_OPTION_COUNT(options)};

static __thread long executed;

int main(int argc, char** argv) {
    long total = 0;
    workload_init(&self, argc, argv);
    const double start = workload_seconds();
#pragma omp parallel
    {
#pragma omp single
        for (long i = 0; i < tasks; ++i) {
#pragma omp task
            ++executed;
        }
#pragma omp atomic
        total += executed;
    }
    const double time_s = workload_seconds() - start;
    workload_expect(total == tasks, "%ld tasks ran, expected %ld", total, tasks);
    return workload_report(time_s, tasks, "%ld", total);
}
