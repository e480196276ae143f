// SPDX-License-Identifier: Apache-2.0
#include "task/waiting.h"

#include "base/clock.h"
#include "idle/yield.h"

namespace teff::task {

namespace {

// Sleeps until the worker is notified, or for kWhile_ns if there are stacks to tend
// (fiber/stack_pool.h); in the second case the wait sleeps again.
TEFF_COLD std::uint32_t sleep_and_tend(team::Worker& worker) {
    constexpr std::uint64_t kWhile_ns = fiber::StackPool::kTendEvery_ns;
    const std::uint64_t began_ns = base::monotonic_ns();
    const std::uint32_t sleep = worker.parker.park_for(kWhile_ns);
    team::stack_pool.tend(base::monotonic_ns() - began_ns >= kWhile_ns);
    return sleep;
}

std::uint32_t sleep_for(team::Worker& worker, std::uint64_t nap_ns) {
    if (nap_ns != 0) return worker.parker.park_for(nap_ns);
    return team::stack_pool.try_begin_to_tend() ? sleep_and_tend(worker) : worker.parker.park();
}

} // namespace

void WaitHost::park(Worker& worker, std::uint64_t nap_ns) {
    const base::Ticks began = TEFF_UNLIKELY(worker.probes != 0) ? events::idles(worker) : 0;
    idle::note_giving_way();
    const bool preemptible = preempt::is_on();
    if (TEFF_UNLIKELY(preemptible)) {
        preempt::drop_request(worker.target); // nothing that the worker may run is ready
        worker.parked.store(true, std::memory_order_relaxed);
    }
    const std::uint32_t sleep = sleep_for(worker, nap_ns);
    if (TEFF_UNLIKELY(preemptible)) worker.parked.store(false, std::memory_order_relaxed);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::idled(worker, began, sleep);
}

} // namespace teff::task
