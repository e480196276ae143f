// SPDX-License-Identifier: Apache-2.0
// The twin of producer.c: one thread creates very many almost empty tasks.
#include "arena.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/task_group.h>

namespace {

long tasks;

const workload_option options[] = {
    {"tasks", "tasks to create", &tasks, 1, 100000000, {10000, 1000000, 4000000}, nullptr}};
const workload self = {"tbb_producer", "one thread creates tasks that do nothing but count themselves", options,
                       WORKLOAD_OPTION_COUNT(options)};

thread_local long* executed;

} // namespace

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    tbb::enumerable_thread_specific<long> counters(0L);
    const double time_s = seconds_in_arena([&counters] {
        tbb::task_group group;
        for (long i = 0; i < tasks; ++i)
            group.run([&counters] {
                if (!executed) executed = &counters.local();
                ++*executed;
            });
        group.wait();
    });
    const long total = counters.combine([](long a, long b) { return a + b; });
    workload_expect(total == tasks, "%ld tasks ran, expected %ld", total, tasks);
    return workload_report(time_s, tasks, "%ld", total);
}
