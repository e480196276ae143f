// SPDX-License-Identifier: Apache-2.0
#include "sync/split_count.h"

#include <benchmark/benchmark.h>

namespace teff::sync {
namespace {

void begin_end_home(benchmark::State& state) {
    SplitCount count;
    count.reset();
    for (auto _ : state) {
        count.begin_home();
        benchmark::ClobberMemory();
        count.end_home();
        benchmark::DoNotOptimize(count.none_left());
    }
}
BENCHMARK(begin_end_home);

void begin_home_end_away(benchmark::State& state) {
    SplitCount count;
    count.reset();
    for (auto _ : state) {
        count.begin_home();
        benchmark::DoNotOptimize(count.end_away());
    }
}
BENCHMARK(begin_home_end_away);

void request_and_take_back(benchmark::State& state) {
    SplitCount count;
    count.reset();
    count.begin_home();
    for (auto _ : state) {
        benchmark::DoNotOptimize(count.try_open_to_waiting());
        count.unfold();
    }
}
BENCHMARK(request_and_take_back);

} // namespace
} // namespace teff::sync
