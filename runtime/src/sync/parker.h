// SPDX-License-Identifier: Apache-2.0
//
// Parker: the object on which one thread, its owner (a Worker), sleeps.
//
// Only the owner calls park. Any thread may call unpark at any time, even long after the event for
// which the owner waited. A spurious token only makes the next park return at once, and every
// caller of park checks its condition again.
//
//     empty  --park-->    parked   (owner: compare-exchange, then sleeps)
//     empty  --unpark-->  token    (any thread)
//     parked --unpark-->  token    (any thread, which also wakes the owner)
//     token  --park-->    empty    (owner: takes the token without sleeping)
//
// [park-1] The exchange in unpark (release) pairs with the exchange in park (acquire): writes
//          before unpark are visible after park.
// [park-2] The owner takes a token by an exchange as well. A plain store could still be in the
//          owner's store buffer while the owner checks its condition, and could then overwrite the
//          token of an unpark that came in between. No wake-up is lost: the word holds the token
//          until park takes it.
//
// The owner's functions are not signal-safe. park blocks the thread.
//
// The state `parked` contains the number of the sleep. So exactly one unpark finds this number: the
// call that ends the sleep. The recorder uses the number: base/wakes.h.
#pragma once

#include <cstdint>

#include "base/atomics.h"
#include "base/contention.h"
#include "base/wakes.h"

namespace teff::sync {

template <class Atomics> class ParkerOver {
  public:
    // Sets the owner, by the number of its worker. Called before other threads know the parker.
    void belong_to(std::uint32_t worker) { owner_ = worker; }

    // Sleeps until there is a token, and takes it. Returns the number of the sleep if an unpark has
    // ended a sleep, or 0 if there was already a token and the thread did not sleep. Called by the
    // owner.
    std::uint32_t park() {
        if (!try_empty_to_parked()) return 0;
        while (state_.load(std::memory_order_relaxed) == parked())
            Atomics::wait(state_, parked());
        state_.exchange(kEmpty, std::memory_order_acquire); // [park-1] [park-2]
        return number_of(parked());
    }

    // As park, but gives up after about `ns` nanoseconds, and then also returns 0.
    std::uint32_t park_for(std::uint64_t ns) {
        if (!try_empty_to_parked()) return 0;
        Atomics::wait_for(state_, parked(), ns);
        const std::uint32_t before = state_.exchange(kEmpty, std::memory_order_acquire); // [park-1] [park-2]
        return before == kToken ? number_of(parked()) : 0;
    }

    // Leaves a token, and wakes the owner if it sleeps.
    void unpark(teff_wake_cause cause) {
        const std::uint32_t before = state_.exchange(kToken, std::memory_order_release); // [park-1]
        if ((before & kParked) != 0) wake(number_of(before), cause);
    }

  private:
    // The bits of the state. The number of the sleep is in the bits above them.
    static constexpr std::uint32_t kEmpty = 0, kToken = 1, kParked = 2;
    static constexpr unsigned kFlagBits = 2;

    static std::uint32_t number_of(std::uint32_t state) { return state >> kFlagBits; }
    std::uint32_t parked() const { return sleeps_ << kFlagBits | kParked; }

    TEFF_COLD void wake(std::uint32_t sleep, teff_wake_cause cause) {
        base::count_here(TEFF_STAT_WAKES);
        base::recorded_wake(owner_, sleep, cause, [this] { Atomics::wake(state_, 1); });
    }

    // Returns false if there was a token, which this call has taken.
    [[nodiscard]] bool try_empty_to_parked() {
        ++sleeps_;
        std::uint32_t expected = kEmpty;
        if (state_.compare_exchange_strong(expected, parked(), std::memory_order_acquire,
                                           std::memory_order_acquire)) // [park-1]
            return true;
        state_.exchange(kEmpty, std::memory_order_acquire); // [park-2]
        return false;
    }

    typename Atomics::template atomic<std::uint32_t> state_{kEmpty};
    std::uint32_t sleeps_ = 0; // number of the latest sleep; used by the owner only
    std::uint32_t owner_ = ~0u;
};

using Parker = ParkerOver<base::RealAtomics>;

} // namespace teff::sync
