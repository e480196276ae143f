// SPDX-License-Identifier: Apache-2.0
// The twin of workloads/bnb.cpp with --prune none: two tasks per node, and direct calls below the
// cutoff.
#include "arena.h"

#include <oneapi/tbb/task_group.h>

#include <atomic>

#include "common/knapsack.h"

namespace {

const char* const pruning_names[] = {"none"};
long item_count, cutoff, pruning;

const workload_option options[] = {
    {"n", "items to choose from", &item_count, 1, 30, {14, 19, 22}, nullptr},
    {"cutoff", "depth of recursion from which no further tasks are made", &cutoff, 0, 1000, {8, 12, 16}, nullptr},
    {"prune", "which branches are cut", &pruning, 0, 0, {0, 0, 0}, pruning_names},
};
const workload self = {"tbb_bnb", "solves a knapsack problem by visiting every choice that fits", options,
                       WORKLOAD_OPTION_COUNT(options)};

Knapsack knapsack;
std::atomic<long> best{0};

void raise_best(long value) {
    long known = best.load(std::memory_order_relaxed);
    while (known < value && !best.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
    }
}

// Returns the nodes visited.
long branch(std::size_t next, long room, long value) {
    raise_best(value);
    if (next == knapsack.items.size()) return 1;
    const Item& item = knapsack.items[next];
    const bool fits = item.weight <= room;
    long with = 0, without = 0;
    if (static_cast<long>(next) >= cutoff) {
        if (fits) with = branch(next + 1, room - item.weight, value + item.value);
        return 1 + with + branch(next + 1, room, value);
    }
    tbb::task_group group;
    if (fits) group.run([&, next, room, value] { with = branch(next + 1, room - item.weight, value + item.value); });
    group.run([&, next, room, value] { without = branch(next + 1, room, value); });
    group.wait();
    return 1 + with + without;
}

} // namespace

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    knapsack = Knapsack(item_count);
    long nodes = 0;
    const double time_s = seconds_in_arena([&nodes] { nodes = branch(0, knapsack.capacity, 0); });
    if (workload_check_wanted()) {
        const long optimum = knapsack.solve_serially();
        workload_expect(best == optimum, "the best choice found is worth %ld, the optimum is %ld", best.load(),
                        optimum);
    }
    return workload_report(time_s, nodes - 1, "%ld", best.load());
}
