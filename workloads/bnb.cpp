// SPDX-License-Identifier: Apache-2.0
// Branch and bound: the knapsack problem with untied tasks. Below a certain depth, an if clause
// makes the tasks undeferred.
#include <atomic>
#include <vector>

#include "common/knapsack.h"
#include "common/workload.h"

namespace {

enum Pruning : long { kPruneByBest, kPruneNothing };
const char* const pruning_names[] = {"best", "none"};

long item_count, cutoff, pruning;

const workload_option options[] = {
    {"n", "items to choose from", &item_count, 1, 1000, {24, 48, 60}, nullptr},
    {"cutoff", "depth of recursion from which no further tasks are deferred", &cutoff, 0, 1000, {8, 16, 16}, nullptr},
    {"prune",
     "which branches are cut: those whose bound does not beat the best found, or none (same nodes in each run)",
     &pruning,
     0,
     1,
     {kPruneByBest, kPruneByBest, kPruneByBest},
     pruning_names},
};
const workload self = {
    "bnb",
    "solves a knapsack problem by branch and bound, two untied tasks per node (after the knapsack of Cilk's examples; "
    "Floorplan of BOTS prunes the same way): how much is visited depends on how early good solutions are found",
    options, WORKLOAD_OPTION_COUNT(options)};

// A cache line for each thread, so that counting nodes does not become the workload.
struct alignas(64) Counter {
    long nodes = 0;
};

Knapsack knapsack;
std::atomic<long> best{0};
std::vector<Counter> visited;

void raise_best(long value) {
    long known = best.load(std::memory_order_relaxed);
    while (known < value && !best.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
    }
}

bool is_hopeless(std::size_t next, long room, long value) {
    return pruning == kPruneByBest && knapsack.upper_bound(next, room, value) <= best.load(std::memory_order_relaxed);
}

void branch(std::size_t next, long room, long value) {
    ++visited[static_cast<std::size_t>(omp_get_thread_num())].nodes;
    raise_best(value);
    if (next == knapsack.items.size()) return;
    if (is_hopeless(next, room, value)) return;
    const Item& item = knapsack.items[next];
    const bool deferred = static_cast<long>(next) < cutoff;
    if (item.weight <= room) {
        const long room_left = room - item.weight, value_with = value + item.value;
#pragma omp task untied if (deferred)
        branch(next + 1, room_left, value_with);
    }
#pragma omp task untied if (deferred)
    branch(next + 1, room, value);
#pragma omp taskwait
}

long visited_nodes() {
    long nodes = 0;
    for (const Counter& counter : visited)
        nodes += counter.nodes;
    return nodes;
}

} // namespace

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    knapsack = Knapsack(item_count);
    visited.resize(static_cast<std::size_t>(omp_get_max_threads()));
    const double start = workload_seconds();
#pragma omp parallel
#pragma omp single
    branch(0, knapsack.capacity, 0);
    const double time_s = workload_seconds() - start;
    const long found = best;
    if (workload_check_wanted()) {
        const long optimum = knapsack.solve_serially();
        workload_expect(found == optimum, "the best choice found is worth %ld, the optimum is %ld", found, optimum);
    }
    return workload_report(time_s, visited_nodes() - 1, "%ld", found);
}
