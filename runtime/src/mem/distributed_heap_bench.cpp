// SPDX-License-Identifier: Apache-2.0
#include "mem/distributed_heap.h"

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <vector>

namespace teff::mem {
namespace {

// Pretends that the machine has two nodes, both of which are its first node. The kernel does the
// same work as on a real machine with two nodes.
const Nodes& two_nodes() {
    static const Nodes nodes = [] {
        Nodes made = process_nodes();
        made.number[1] = made.number[0];
        made.count = 2;
        return made;
    }();
    return nodes;
}

DistributedHeap& heap() {
    static DistributedHeap made(real_system, two_nodes);
    return made;
}

void take_and_free(benchmark::State& state, unsigned number) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) {
        void* const memory = number == kStandard ? std::malloc(bytes) : heap().allocate(distribution(number), 1, bytes);
        benchmark::DoNotOptimize(memory);
        if (number == kStandard) std::free(memory);
        else benchmark::DoNotOptimize(heap().free(memory));
    }
}
BENCHMARK_CAPTURE(take_and_free, malloc, kStandard)->Arg(4096)->Arg(1 << 20);
BENCHMARK_CAPTURE(take_and_free, fine, kFine)->Arg(4096)->Arg(1 << 20)->Arg(1 << 30);
BENCHMARK_CAPTURE(take_and_free, coarse, kCoarse)->Arg(4096)->Arg(1 << 20)->Arg(1 << 30);

// Looks up an address inside one of `range` allocations.
void look_up(benchmark::State& state) {
    std::vector<char*> memory(static_cast<std::size_t>(state.range(0)));
    for (char*& one : memory)
        one = static_cast<char*>(heap().allocate(distribution(kCoarse), 1, 2 * kPageBytes));
    std::size_t next = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(heap().find(memory[next % memory.size()] + 5000));
        next += 7919;
    }
    for (char* one : memory)
        benchmark::DoNotOptimize(heap().free(one));
}
BENCHMARK(look_up)->Arg(1)->Arg(1000)->Arg(20000);

void bytes_per_node(benchmark::State& state, unsigned number) {
    const std::size_t bytes = 1 << 20;
    void* const memory = heap().allocate(distribution(number), 1, bytes);
    for (auto _ : state) {
        std::size_t sums[2] = {};
        benchmark::DoNotOptimize(heap().add_bytes_per_node(memory, bytes, sums));
        benchmark::DoNotOptimize(sums);
    }
    benchmark::DoNotOptimize(heap().free(memory));
}
BENCHMARK_CAPTURE(bytes_per_node, fine, kFine);
BENCHMARK_CAPTURE(bytes_per_node, coarse, kCoarse);

} // namespace
} // namespace teff::mem
