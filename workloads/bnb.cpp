// SPDX-License-Identifier: Apache-2.0
// Branch and bound: the knapsack problem, with untied tasks that an if-clause stops deferring below a depth.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "common/hash.h"
#include "common/workload.h"

namespace {

enum Pruning : long { kPruneByBest, kPruneNothing };
const char *const pruning_names[] = {"best", "none"};

long item_count, cutoff, pruning;

const workload_option options[] = {
    {"n", "items to choose from", &item_count, 1, 1000, {24, 36, 48}, nullptr},
    {"cutoff", "depth of recursion from which no further tasks are deferred", &cutoff, 0, 1000, {8, 12, 16}, nullptr},
    {"prune", "which branches are cut: those whose bound does not beat the best found, or none (same nodes in each run)",
     &pruning, 0, 1, {kPruneByBest, kPruneByBest, kPruneByBest}, pruning_names},
};
const workload self = {
    "bnb",
    "solves a knapsack problem by branch and bound, two untied tasks per node (after the knapsack of Cilk's examples; "
    "Floorplan of BOTS prunes the same way): how much is visited depends on how early good solutions are found",
    options, WORKLOAD_OPTION_COUNT(options)};

struct Item {
  long weight, value;
};

// A cache line for each thread, so that counting nodes does not become the workload.
struct alignas(64) Counter {
  long nodes = 0;
};

struct Problem {
  std::vector<Item> items;  // by falling value per weight
  long capacity = 0;
  std::atomic<long> best{0};
  std::vector<Counter> visited;
};

Problem problem;

// Values that follow the weights closely make the bound weak and the search long.
void create_problem() {
  long weights = 0;
  for (long i = 0; i < item_count; ++i) {
    const long weight = 100 + static_cast<long>(hash_mix(static_cast<std::uint64_t>(i)) % 900);
    const long value = weight + 100 + static_cast<long>(hash_mix(static_cast<std::uint64_t>(i) + 5000) % 5);
    problem.items.push_back({weight, value});
    weights += weight;
  }
  problem.capacity = weights / 2;
  std::sort(problem.items.begin(), problem.items.end(),
            [](const Item &a, const Item &b) { return a.value * b.weight > b.value * a.weight; });
}

// Dynamic programming over the capacity: the serial answer.
long solve_serially() {
  std::vector<long> best(static_cast<std::size_t>(problem.capacity) + 1, 0);
  for (const Item &item : problem.items)
    for (long room = problem.capacity; room >= item.weight; --room) {
      const auto index = static_cast<std::size_t>(room);
      best[index] = std::max(best[index], best[index - static_cast<std::size_t>(item.weight)] + item.value);
    }
  return best.back();
}

// What the rest could be worth if the first item that does not fit could be cut.
long upper_bound(std::size_t next, long room, long value) {
  for (; next < problem.items.size(); ++next) {
    const Item &item = problem.items[next];
    if (item.weight > room) return value + item.value * room / item.weight;
    room -= item.weight;
    value += item.value;
  }
  return value;
}

void raise_best(long value) {
  long best = problem.best.load(std::memory_order_relaxed);
  while (best < value && !problem.best.compare_exchange_weak(best, value, std::memory_order_relaxed)) {
  }
}

bool is_hopeless(std::size_t next, long room, long value) {
  return pruning == kPruneByBest && upper_bound(next, room, value) <= problem.best.load(std::memory_order_relaxed);
}

void branch(std::size_t next, long room, long value) {
  ++problem.visited[static_cast<std::size_t>(omp_get_thread_num())].nodes;
  raise_best(value);
  if (next == problem.items.size()) return;
  if (is_hopeless(next, room, value)) return;
  const Item item = problem.items[next];
  const bool deferred = static_cast<long>(next) < cutoff;
  if (item.weight <= room) {
#pragma omp task untied if (deferred)
    branch(next + 1, room - item.weight, value + item.value);
  }
#pragma omp task untied if (deferred)
  branch(next + 1, room, value);
#pragma omp taskwait
}

long visited_nodes() {
  long nodes = 0;
  for (const Counter &counter : problem.visited) nodes += counter.nodes;
  return nodes;
}

}  // namespace

int main(int argc, char **argv) {
  workload_init(&self, argc, argv);
  create_problem();
  problem.visited.resize(static_cast<std::size_t>(omp_get_max_threads()));
  const double start = workload_seconds();
#pragma omp parallel
#pragma omp single
  branch(0, problem.capacity, 0);
  const double time_s = workload_seconds() - start;
  const long best = problem.best;
  if (workload_check_wanted()) {
    const long optimum = solve_serially();
    workload_expect(best == optimum, "the best choice found is worth %ld, the optimum is %ld", best, optimum);
  }
  return workload_report(time_s, visited_nodes() - 1, "%ld", best);
}
