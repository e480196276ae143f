// SPDX-License-Identifier: Apache-2.0
// The twin of stolen_producer.c: the producer is itself a task that another thread has stolen.
#include "arena.h"

#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <thread>

#include "common/hash.h"

namespace {

long tasks, rounds;

const workload_option options[] = {
    {"tasks", "tasks to create", &tasks, 1, 100000000, {10000, 500000, 2000000}, nullptr},
    {"rounds", "work per task, in hash rounds (about 2 ns each)", &rounds, 0, 1000000, {50, 50, 50}, nullptr},
};
const workload self = {"tbb_stolen_producer", "one task creates all others, on another thread than its creator's",
                       options, WORKLOAD_OPTION_COUNT(options)};

std::atomic<bool> producer_runs{false};
std::atomic<long> zeros{0};

void produce() {
    producer_runs = true;
    tbb::task_group group;
    for (long i = 0; i < tasks; ++i)
        group.run([i] {
            if (hash_chain(static_cast<std::uint64_t>(i), rounds) == 0) ++zeros;
        });
    group.wait();
}

void wait_until_stolen() {
    while (arena_threads() > 1 && !producer_runs)
        std::this_thread::yield();
}

} // namespace

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    const double time_s = seconds_in_arena([] {
        tbb::task_group group;
        group.run(produce);
        wait_until_stolen();
        group.wait();
    });
    return workload_report(time_s, tasks, "zeros:%ld", zeros.load());
}
