// SPDX-License-Identifier: Apache-2.0
#include "base/atomics.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/system_call.h"

namespace teff::base {

namespace {

// Longer than a store can stay in a processor's buffer before other processors see it, which is
// some hundred nanoseconds at most.
constexpr std::uint64_t kStoresAreSeen_ns = 100'000;

// Called when membarrier has failed. Light fences are full fences from now on. A thread that has
// just passed a light fence, or does not see yet that light fences must be full, may still have
// stores in its processor's buffer. Once these are visible everywhere, full fences on the heavy
// side suffice. Until then every heavy fence comes here and waits for as long as that can take. The
// wait orders the two stores here, so they are relaxed.
TEFF_COLD void lose_membarrier() {
    detail::light_fences_cost_nothing.store(false, std::memory_order_relaxed);
    const std::uint64_t until = monotonic_ns() + kStoresAreSeen_ns;
    while (monotonic_ns() < until)
        arch::cpu_relax();
    detail::heavy_fences_reach_all.store(false, std::memory_order_relaxed);
}

} // namespace

namespace detail {

std::atomic<bool> light_fences_cost_nothing{false};
std::atomic<bool> heavy_fences_reach_all{false};

void membarrier_everywhere() {
    if (call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) lose_membarrier();
}

} // namespace detail

void initialise_fences() {
    const bool there_is = call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    detail::light_fences_cost_nothing.store(there_is, std::memory_order_relaxed);
    detail::heavy_fences_reach_all.store(there_is, std::memory_order_relaxed);
}

} // namespace teff::base
