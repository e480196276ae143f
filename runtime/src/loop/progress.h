// SPDX-License-Identifier: Apache-2.0
//
// Progress: a number that one thread raises and for which any number of threads wait. The number
// says that all work below it has been done.
//
// A waiter checks a few times, then publishes the number that it wants and sleeps. The thread that
// raises the number checks whether a sleeper can continue, and makes a wake-up call only then. If
// no thread sleeps, raising the number costs one exchange and a load.
//
// `wanted` is the lowest number for which a thread may sleep, or kNobody. `bell` is the word on
// which the threads sleep.
//
// [progress-1] The exchange in raise() pairs with the load in is() (acquire): a thread that may
//              continue sees all writes before raise().
// [progress-2] raise() stores `done`, then loads `wanted`. A waiter lowers `wanted` (or sees that
//              it is low enough), then loads `done`. All these accesses are seq_cst. Otherwise
//              raise() could miss the wanted number while the waiter misses the new number.
// [progress-3] wake() resets `wanted`, then adds to `bell` (release). A waiter loads `bell`
//              (acquire), then lowers `wanted`, then sleeps unless `bell` has changed. If wake()
//              removes a waiter's number before the waiter sleeps, the waiter finds `bell` changed.
//              A waiter that has seen the changed `bell` can no longer mistake an old value of
//              `wanted` for its own.
//
// At any time only one thread may raise the number; the next thread to raise it must have seen the
// previous thread's last number. wait_for blocks the thread.
#pragma once

#include <cstdint>

#include "base/atomics.h"

namespace teff::loop {

template <class Atomics> class alignas(base::kCacheLine) ProgressOver {
  public:
    // Returns true if all work below `number` is done.
    bool is(std::uint64_t number) const { return done_.load(std::memory_order_acquire) >= number; } // [progress-1]

    // Raises the number. Called by the one thread that may raise it at this time. A number that is
    // not above the present number changes nothing.
    void raise(std::uint64_t number) {
        if (done_.load(std::memory_order_relaxed) >= number) return;                  // only this thread writes it
        done_.exchange(number, std::memory_order_seq_cst);                            // [progress-1] [progress-2]
        if (TEFF_UNLIKELY(wanted_.load(std::memory_order_seq_cst) <= number)) wake(); // [progress-2]
    }

    // Returns when all work below `number` is done or `give_up()` returns true. Checks `spins`
    // times before it sleeps. If `look_again_ns` is not 0, also checks every `look_again_ns`
    // nanoseconds during the sleep, to notice that give_up has become true.
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

    // Lowers `wanted` to `number` if `wanted` is above.
    void want(std::uint64_t number) {
        std::uint64_t lowest = wanted_.load(std::memory_order_seq_cst); // [progress-2]
        while (number < lowest && !wanted_.compare_exchange_weak(lowest, number, std::memory_order_seq_cst,
                                                                 std::memory_order_seq_cst)) { // [progress-2]
        }
    }

    // Wakes all sleepers. A sleeper that wants a higher number publishes its number again.
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
