// SPDX-License-Identifier: Apache-2.0
#include "sync/program_lock.h"

#include <benchmark/benchmark.h>
#include <vector>

namespace teff::sync {
namespace {

ProgramLock lock;

void lock_and_unlock(benchmark::State& state) TEFF_LOCK_CROSSES_CALLS {
    for (auto _ : state) {
        lock.lock();
        benchmark::ClobberMemory();
        lock.unlock();
    }
}
BENCHMARK(lock_and_unlock)->Threads(1)->Threads(2)->Threads(8)->UseRealTime();

// The cost of a waiter apart from its sleep: it is queued, chosen and notified, behind `range`
// others.
struct Counted : LockWaiterOver<base::RealAtomics> {
    Counted() : LockWaiterOver(0, true, [](LockWaiterOver& waiter, LockWait outcome) { waiter.settle(outcome); }) {}
};

void queue_and_notify(benchmark::State& state) {
    const int address = 0;
    static LockWaiters waiters;
    std::vector<Counted> others(static_cast<std::size_t>(state.range(0)));
    for (Counted& other : others)
        benchmark::DoNotOptimize(waiters.queue_unless(other, &address, [] { return false; }));
    Counted waiter;
    waiter.since = 1; // the oldest, like a waiter that was woken and did not get the lock
    for (auto _ : state) {
        benchmark::DoNotOptimize(waiters.queue_unless(waiter, &address, [] { return false; }));
        waiters.give_back(&address, [](bool) {});
    }
    waiters.forget();
}
BENCHMARK(queue_and_notify)->Arg(0)->Arg(1)->Arg(1'000);

} // namespace
} // namespace teff::sync
