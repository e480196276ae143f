// SPDX-License-Identifier: Apache-2.0
// The twin of taskloop.c: parallel loops, one after the other, of one task per iteration.
#include "arena.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <vector>

#include "common/hash.h"

namespace {

long loops, tasks, rounds;

const workload_option options[] = {
    {"loops", "parallel loops, one after the other", &loops, 1, 100000, {2, 20, 80}, nullptr},
    {"tasks", "tasks per loop, one iteration each", &tasks, 1, 1000000, {500, 2000, 2000}, nullptr},
    {"rounds", "work per task, in hash rounds (about 2 ns each)", &rounds, 0, 10000000, {2000, 2000, 2000}, nullptr},
};
const workload self = {"tbb_taskloop", "parallel loops of thousands of tasks of about 4 us each", options,
                       WORKLOAD_OPTION_COUNT(options)};

std::uint64_t work(long iteration) { return hash_chain(static_cast<std::uint64_t>(iteration), rounds); }

std::uint64_t run_loop(std::vector<std::uint64_t>& result, long loop) {
    tbb::parallel_for(
        tbb::blocked_range<long>(0, tasks, 1),
        [&result, loop](const tbb::blocked_range<long>& range) {
            for (long i = range.begin(); i < range.end(); ++i)
                result[static_cast<std::size_t>(i)] = work(loop * tasks + i);
        },
        tbb::simple_partitioner());
    std::uint64_t sum = 0;
    for (const std::uint64_t value : result)
        sum += value;
    return sum;
}

} // namespace

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    std::vector<std::uint64_t> result(static_cast<std::size_t>(tasks));
    std::uint64_t sum = 0, expected = 0;
    const double time_s = seconds_in_arena([&result, &sum] {
        for (long loop = 0; loop < loops; ++loop)
            sum += run_loop(result, loop);
    });
    if (workload_check_wanted()) {
        for (long i = 0; i < loops * tasks; ++i)
            expected += work(i);
        workload_expect(sum == expected, "sum is %#lx, expected %#lx", sum, expected);
    }
    return workload_report(time_s, loops * tasks, "%#lx", sum);
}
