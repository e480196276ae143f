// SPDX-License-Identifier: Apache-2.0
#include "loop/work_share.h"

#include <benchmark/benchmark.h>
#include <thread>
#include <vector>

#include "loop/doacross.h"
#include "loop/loop.h"
#include "loop/players.h"

namespace teff::loop {
namespace {

LoopRequest dynamic_loop(long count) {
    LoopRequest request;
    request.iterations = Iterations::of(0, count, 1);
    request.schedule = ScheduleChoice::fixed(icv::ScheduleKind::dynamic, Order::monotonic, 1);
    return request;
}

// Runs body(worker) on one thread for each member.
template <class Body> void run_members(Players& players, Body body) {
    std::vector<std::thread> threads;
    for (unsigned member = 0; member < players.team().size; ++member)
        threads.emplace_back([&, member] { body(players[member]); });
    for (std::thread& thread : threads)
        thread.join();
}

// Time per loop of tiny consecutive loops with nowait, so that members drift apart as the system
// schedules them.
void loop_nowait(benchmark::State& state) {
    constexpr int kLoops = 20'000;
    const LoopRequest request = dynamic_loop(4);
    Players players(static_cast<unsigned>(state.range(0)));
    for (auto _ : state) {
        players.next_region();
        run_members(players, [&](team::Worker& worker) {
            for (int i = 0; i < kLoops; ++i) {
                start(worker, request);
                for (Span span; next(worker, span, {});)
                    benchmark::DoNotOptimize(span);
                end_nowait(worker);
            }
        });
    }
    state.SetItemsProcessed(state.iterations() * kLoops);
}
BENCHMARK(loop_nowait)->Arg(2)->Arg(8)->Arg(33)->UseRealTime();

// Time per iteration of a chain: each iteration waits for the previous one.
void doacross_chain(benchmark::State& state) {
    constexpr long kCount = 10'000;
    LoopRequest request = dynamic_loop(kCount);
    request.doacross = {1, &kCount};
    Players players(static_cast<unsigned>(state.range(0)));
    for (auto _ : state) {
        players.next_region();
        run_members(players, [&](team::Worker& worker) {
            start(worker, request);
            for (Span span; next(worker, span, {});) {
                const auto i = static_cast<long>(span.first);
                doacross_wait(worker, span.first - 1, [] { return std::uint64_t{0}; }, {});
                doacross_post(worker, &i);
            }
            end_nowait(worker);
        });
    }
    state.SetItemsProcessed(state.iterations() * kCount);
}
BENCHMARK(doacross_chain)->Arg(2)->Arg(8)->Arg(33)->UseRealTime();

} // namespace
} // namespace teff::loop
