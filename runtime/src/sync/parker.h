// SPDX-License-Identifier: Apache-2.0
//
// Parker: one thread's place to sleep.
//
// Owned by its thread (a Worker). Only that thread calls park; any thread may call unpark, at any
// time, also on behalf of an event that is long over: a spurious token only makes the next park
// return at once, and every caller of park checks its condition again.
//
//     empty  --park-->    parked   (owner: compare-exchange, then sleeps)
//     empty  --unpark-->  token    (anyone)
//     parked --unpark-->  token    (anyone, and wakes the owner)
//     token  --park-->    empty    (owner: takes the token without sleeping)
//
// [park-1] unpark's exchange (release) pairs with park's exchange (acquire): what was written
//          before unpark is seen after park.
// [park-2] The owner takes a token by an exchange as well: a plain store could still lie in its
// store buffer while it looks at its condition, and then wipe out the token of an unpark that came
// in between. No wake-up is lost: the word holds the token until park takes it. Not signal-safe for
// the owner. Blocks the thread.
#pragma once

#include <cstdint>

#include "base/atomics.h"
#include "base/contention.h"

namespace teff::sync {

template <class Atomics> class ParkerOver {
  public:
    // Sleeps until there is a token, and takes it.
    void park() {
        if (!try_empty_to_parked()) return;
        while (state_.load(std::memory_order_relaxed) == kParked)
            Atomics::wait(state_, kParked);
        state_.exchange(kEmpty, std::memory_order_acquire); // [park-1] [park-2]
    }

    // As park, but gives up after about `ns` nanoseconds.
    void park_for(std::uint64_t ns) {
        if (!try_empty_to_parked()) return;
        Atomics::wait_for(state_, kParked, ns);
        state_.exchange(kEmpty, std::memory_order_acquire); // [park-1] [park-2]
    }

    void unpark() {
        const std::uint32_t before = state_.exchange(kToken, std::memory_order_release); // [park-1]
        if (before != kParked) return;
        base::count_here(TEFF_STAT_WAKES);
        Atomics::wake(state_, 1);
    }

  private:
    static constexpr std::uint32_t kEmpty = 0, kToken = 1, kParked = 2;

    // False: there was a token, which this call took.
    [[nodiscard]] bool try_empty_to_parked() {
        std::uint32_t expected = kEmpty;
        if (state_.compare_exchange_strong(expected, kParked, std::memory_order_acquire,
                                           std::memory_order_acquire)) // [park-1]
            return true;
        state_.exchange(kEmpty, std::memory_order_acquire); // [park-2]
        return false;
    }

    typename Atomics::template atomic<std::uint32_t> state_{kEmpty};
};

using Parker = ParkerOver<base::RealAtomics>;

} // namespace teff::sync
