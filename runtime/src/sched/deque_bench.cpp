// SPDX-License-Identifier: Apache-2.0
#include "sched/deque.h"

#include <atomic>
#include <benchmark/benchmark.h>
#include <memory>
#include <thread>

namespace teff::sched {
namespace {

constexpr std::uint32_t kSlots = 1024;

struct Bench {
    Bench() { (void)deque.try_grow(kSlots); }
    ~Bench() { deque.free_memory(); }
    DequeOver<base::RealAtomics, int> deque;
    int item = 0;
};

// One task pushed and popped by its owner: the queue's cost of a leaf of fib.
void push_pop(benchmark::State& state) {
    auto bench = std::make_unique<Bench>();
    for (auto _ : state) {
        benchmark::DoNotOptimize(bench->deque.push(&bench->item));
        benchmark::DoNotOptimize(bench->deque.pop(0));
    }
}
BENCHMARK(push_pop);

// Pops above another item. Only a pop of the last item needs a compare-exchange.
void push_pop_above_another(benchmark::State& state) {
    auto bench = std::make_unique<Bench>();
    (void)bench->deque.push(&bench->item);
    for (auto _ : state) {
        benchmark::DoNotOptimize(bench->deque.push(&bench->item));
        benchmark::DoNotOptimize(bench->deque.pop(0));
    }
}
BENCHMARK(push_pop_above_another);

void push_steal(benchmark::State& state) {
    auto bench = std::make_unique<Bench>();
    for (auto _ : state) {
        benchmark::DoNotOptimize(bench->deque.push(&bench->item));
        benchmark::DoNotOptimize(bench->deque.steal_if([](int*) { return true; }));
    }
}
BENCHMARK(push_steal);

// The owner pushes and pops while a thief on another processor takes as much as it can.
void push_pop_under_thief(benchmark::State& state) {
    auto bench = std::make_unique<Bench>();
    std::atomic<bool> over{false};
    std::thread thief([&] {
        while (!over.load(std::memory_order_relaxed))
            benchmark::DoNotOptimize(bench->deque.steal_if([](int*) { return true; }));
    });
    for (auto _ : state) {
        benchmark::DoNotOptimize(bench->deque.push(&bench->item));
        benchmark::DoNotOptimize(bench->deque.pop(0));
    }
    over.store(true, std::memory_order_relaxed);
    thief.join();
}
BENCHMARK(push_pop_under_thief)->UseRealTime();

} // namespace
} // namespace teff::sched
