// SPDX-License-Identifier: Apache-2.0
//
// Parker: one thread's place to sleep.
//
// Its thread (a Worker) owns it. Only that thread calls park. Any thread may call unpark, at any
// time, also for an event that is long over: a spurious token only makes the next park return at
// once, and every caller of park checks its condition again.
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
//
// `parked` holds the number of the sleep, so exactly one unpark finds it: the one that ends the
// sleep. For the recorder: base/wakes.h.
#pragma once

#include <cstdint>

#include "base/atomics.h"
#include "base/contention.h"
#include "base/wakes.h"

namespace teff::sync {

template <class Atomics> class ParkerOver {
  public:
    // Whose it is: the number of its worker. Before others know the parker.
    void belong_to(std::uint32_t worker) { owner_ = worker; }

    // Sleeps until there is a token, and takes it. Returns the number of the sleep that an unpark
    // has ended; 0: it has not slept, as there was a token.
    std::uint32_t park() {
        if (!try_empty_to_parked()) return 0;
        while (state_.load(std::memory_order_relaxed) == parked())
            Atomics::wait(state_, parked());
        state_.exchange(kEmpty, std::memory_order_acquire); // [park-1] [park-2]
        return number_of(parked());
    }

    // As park, but gives up after about `ns` nanoseconds: 0, then, too.
    std::uint32_t park_for(std::uint64_t ns) {
        if (!try_empty_to_parked()) return 0;
        Atomics::wait_for(state_, parked(), ns);
        const std::uint32_t before = state_.exchange(kEmpty, std::memory_order_acquire); // [park-1] [park-2]
        return before == kToken ? number_of(parked()) : 0;
    }

    void unpark(teff_wake_cause cause) {
        const std::uint32_t before = state_.exchange(kToken, std::memory_order_release); // [park-1]
        if ((before & kParked) != 0) wake(number_of(before), cause);
    }

  private:
    // Bits of the state; above them is the number of the sleep.
    static constexpr std::uint32_t kEmpty = 0, kToken = 1, kParked = 2;
    static constexpr unsigned kFlagBits = 2;

    static std::uint32_t number_of(std::uint32_t state) { return state >> kFlagBits; }
    std::uint32_t parked() const { return sleeps_ << kFlagBits | kParked; }

    TEFF_COLD void wake(std::uint32_t sleep, teff_wake_cause cause) {
        base::count_here(TEFF_STAT_WAKES);
        base::recorded_wake(owner_, sleep, cause, [this] { Atomics::wake(state_, 1); });
    }

    // False: there was a token, which this call took.
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
    std::uint32_t sleeps_ = 0; // owner
    std::uint32_t owner_ = ~0u;
};

using Parker = ParkerOver<base::RealAtomics>;

} // namespace teff::sync
