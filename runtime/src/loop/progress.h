// SPDX-License-Identifier: Apache-2.0
//
// Progress: a number that one thread raises and any number of others wait for: everything below it
// is done.
//
// A waiter looks a few times, then says which number it wants and sleeps. The thread that raises
// the number looks whether a sleeper can go on, and wakes only then: if nobody sleeps, raising it
// costs one exchange and a load.
//
// `wanted` is the lowest number for which someone may sleep, or kNobody. `bell` is the word on
// which they sleep.
//
// [progress-1] raise's exchange pairs with is's load (acquire): what was written before raise is
//              seen by who may go on.
// [progress-2] raise: store done, then load wanted. Waiter: lower wanted (or see that it is low
//              enough), then load done. All seq_cst: it must not happen that raise misses the wish
//              while the waiter misses the new number.
// [progress-3] wake: take wanted away, then add to bell (release). Waiter: load bell (acquire),
//              then lower wanted, then sleep unless the bell has changed. A waiter whose wish was
//              taken away before it slept finds the bell changed; one that has seen the changed
//              bell cannot take the old wish for its own any more.
//
// At any time only one thread raises the number; the next one has seen its last number. Blocks the
// thread.
#pragma once

#include <cstdint>

#include "base/atomics.h"

namespace teff::loop {

template <class Atomics> class alignas(base::kCacheLine) ProgressOver {
  public:
    // Is everything below `number` done?
    bool is(std::uint64_t number) const { return done_.load(std::memory_order_acquire) >= number; } // [progress-1]

    // By the thread whose turn it is to raise. A number that is not above the present one changes
    // nothing.
    void raise(std::uint64_t number) {
        if (done_.load(std::memory_order_relaxed) >= number) return;                  // only this thread writes it
        done_.exchange(number, std::memory_order_seq_cst);                            // [progress-1] [progress-2]
        if (TEFF_UNLIKELY(wanted_.load(std::memory_order_seq_cst) <= number)) wake(); // [progress-2]
    }

    // Returns when everything below `number` is done or `give_up()` says to stop. Looks `spins`
    // times before it sleeps, and again every `look_again_ns` nanoseconds while asleep if that is
    // not 0, for the sake of give_up.
    template <class GiveUp>
    void wait_for(std::uint64_t number, unsigned spins, std::uint64_t look_again_ns, GiveUp&& give_up) {
        for (unsigned i = 0; i < spins; ++i) {
            if (is(number)) return;
            Atomics::cpu_relax();
        }
        for (;;) {
            const std::uint32_t seen = bell_.load(std::memory_order_acquire); // [progress-3]
            want(number);
            if (done_.load(std::memory_order_seq_cst) >= number || give_up()) return; // [progress-2]
            if (look_again_ns == 0) Atomics::wait(bell_, seen);
            else Atomics::wait_for(bell_, seen, look_again_ns);
        }
    }

  private:
    static constexpr std::uint64_t kNobody = ~std::uint64_t{0};
    static constexpr int kEveryone = 0x7fff'ffff;

    void want(std::uint64_t number) {
        std::uint64_t lowest = wanted_.load(std::memory_order_seq_cst); // [progress-2]
        while (number < lowest && !wanted_.compare_exchange_weak(lowest, number, std::memory_order_seq_cst,
                                                                 std::memory_order_seq_cst)) { // [progress-2]
        }
    }

    // Wakes all sleepers; those who want a higher number say so again.
    TEFF_COLD void wake() {
        wanted_.exchange(kNobody, std::memory_order_relaxed); // [progress-3]: bell's release publishes it
        bell_.fetch_add(1, std::memory_order_release);        // [progress-3]
        Atomics::wake(bell_, kEveryone);
    }

    typename Atomics::template atomic<std::uint64_t> done_{0};
    typename Atomics::template atomic<std::uint64_t> wanted_{kNobody};
    typename Atomics::template atomic<std::uint32_t> bell_{0};
};

using Progress = ProgressOver<base::RealAtomics>;

} // namespace teff::loop
