// SPDX-License-Identifier: Apache-2.0
#include "mem/block_cache.h"

#include <array>
#include <benchmark/benchmark.h>

namespace teff::mem {
namespace {

void take_give_back(benchmark::State& state) {
    BlockCache cache;
    for (auto _ : state) {
        void* block = cache.take(BlockSize::k192);
        benchmark::DoNotOptimize(block);
        cache.give_back(block, BlockSize::k192);
    }
    cache.hand_over_all();
}
BENCHMARK(take_give_back);

// Blocks move from one cache to another, as from a producer to its thieves; the depot returns them
// in batches.
void take_here_give_back_there(benchmark::State& state) {
    constexpr std::size_t kBlocks = 512;
    BlockCache producer, consumer;
    std::array<void*, kBlocks> blocks;
    for (auto _ : state) {
        for (void*& block : blocks)
            benchmark::DoNotOptimize(block = producer.take(BlockSize::k192));
        for (void* block : blocks)
            consumer.give_back(block, BlockSize::k192);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBlocks)); // the time is that of 512 blocks
    producer.hand_over_all();
    consumer.hand_over_all();
}
BENCHMARK(take_here_give_back_there);

} // namespace
} // namespace teff::mem
