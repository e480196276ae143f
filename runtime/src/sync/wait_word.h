// SPDX-License-Identifier: Apache-2.0
//
// WaitWord: a word on which any number of threads sleep until another thread makes a condition
// true.
//
// The condition is not in the word but in atomics of the caller. A waiter spins for a moment, then
// announces itself and sleeps. A thread that makes the condition true calls notify afterwards. The
// upper bits of the word count notifications. Bit 0 says that a thread may sleep.
//
// No wake-up is lost:
// [wait-1] waiter:   fetch_or(kSleepers); look at the condition; sleep unless the word has changed since
//          notifier: make the condition true; fetch_add(kOne)
//          Both read-modify-writes (acquire and release) are on one word. If the waiter's operation
//          comes first, the notifier sees the bit and wakes the waiter. If the notifier's comes
//          first, the waiter's operation acquires from it, and the waiter finds the condition true.
//          If the notifier's comes between the waiter's and the sleep, the word has changed and the
//          kernel does not let the waiter sleep. The notifier clears the bit before the wake-up: a
//          waiter that sleeps by then is woken, and a waiter that comes later sets the bit again.
//
// A WaitWord may be destroyed or reused only when no thread can still be inside notify. wait_until
// blocks the thread.
#pragma once

#include <cstdint>

#include "base/atomics.h"

namespace teff::sync {

template <class Atomics> class WaitWordOver {
  public:
    // Returns as soon as `ready()` has returned true. Calls `ready` up to `spins` times before it
    // sleeps. If `look_again_ns` is not 0, also calls `ready` every `look_again_ns` nanoseconds
    // during the sleep, for conditions that can become true without a notification.
    template <class Ready> void wait_until(unsigned spins, std::uint64_t look_again_ns, Ready&& ready) {
        for (unsigned i = 0; i < spins; ++i) {
            if (ready()) return;
            Atomics::cpu_relax();
        }
        for (;;) {
            const std::uint32_t seen = announce(); // [wait-1]
            if (ready()) return;
            if (look_again_ns == 0) Atomics::wait(word_, seen);
            else Atomics::wait_for(word_, seen, look_again_ns);
        }
    }

    // Wakes all sleepers. Called after the condition of a waiter may have become true. Returns true
    // if a thread had announced itself.
    bool notify() {
        const std::uint32_t before = word_.fetch_add(kOne, std::memory_order_acq_rel); // [wait-1]
        if (TEFF_LIKELY((before & kSleepers) == 0)) return false;
        wake_all();
        return true;
    }

    // Tells the next notify that a thread waits, either on this word or in another way that the
    // notifier knows. Returns the value of the word after the announcement. The caller checks its
    // condition after this call.
    std::uint32_t announce() {
        return word_.fetch_or(kSleepers, std::memory_order_acq_rel) | kSleepers; // [wait-1]
    }

  private:
    static constexpr std::uint32_t kSleepers = 1, kOne = 2;

    TEFF_COLD void wake_all() {
        word_.fetch_and(~kSleepers, std::memory_order_relaxed); // [wait-1]: the kernel orders it before the wake-up
        Atomics::wake(word_, kEveryone);
    }

    static constexpr int kEveryone = 0x7fff'ffff;

    typename Atomics::template atomic<std::uint32_t> word_{0};
};

using WaitWord = WaitWordOver<base::RealAtomics>;

} // namespace teff::sync
