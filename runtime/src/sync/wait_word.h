// SPDX-License-Identifier: Apache-2.0
//
// WaitWord: a place where any number of threads sleep until something becomes true that another
// thread makes true.
//
// The condition is elsewhere, in atomics of the caller. A waiter spins a little, then announces
// itself and sleeps. A thread that makes the condition true calls notify afterwards. The word
// counts notifications in its upper bits; bit 0 says that someone may sleep.
//
// No wake-up is lost:
// [wait-1] waiter:   fetch_or(kSleepers); look at the condition; sleep unless the word has changed since
//          notifier: make the condition true; fetch_add(kOne)
//          Both read-modify-writes (acquire and release) are on one word. If the waiter's comes
//          first, the notifier sees the bit and wakes. If the notifier's comes first, the waiter's
//          acquires from it and finds the condition true. If the notifier's comes between the
//          waiter's and its sleep, the word has changed and the kernel does not let it sleep. The
//          bit is cleared before the wake-up: a waiter that sleeps by then is woken, and one that
//          comes later sets the bit again.
//
// May be destroyed or reused only when no thread can still be inside notify. Blocks the thread.
#pragma once

#include <cstdint>

#include "base/atomics.h"

namespace teff::sync {

template <class Atomics> class WaitWordOver {
  public:
    // Returns when `ready()` returned true. Looks `spins` times before it sleeps; while asleep it
    // looks again every `look_again_ns` nanoseconds if that is not 0, for conditions of which no
    // one notifies.
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

    // The condition of some waiter may have become true. True: someone had announced itself.
    bool notify() {
        const std::uint32_t before = word_.fetch_add(kOne, std::memory_order_acq_rel); // [wait-1]
        if (TEFF_LIKELY((before & kSleepers) == 0)) return false;
        wake_all();
        return true;
    }

    // Whoever notifies next is to know that someone waits: here, or in a way of which the notifier
    // knows. Returns the word as it is from then on. The caller looks at its condition after this.
    std::uint32_t announce() {
        return word_.fetch_or(kSleepers, std::memory_order_acq_rel) | kSleepers; // [wait-1]
    }

  private:
    static constexpr std::uint32_t kSleepers = 1, kOne = 2;

    TEFF_COLD void wake_all() {
        word_.fetch_and(~kSleepers, std::memory_order_relaxed); // [wait-1]: the order with the wake-up is the kernel's
        Atomics::wake(word_, kEveryone);
    }

    static constexpr int kEveryone = 0x7fff'ffff;

    typename Atomics::template atomic<std::uint32_t> word_{0};
};

using WaitWord = WaitWordOver<base::RealAtomics>;

} // namespace teff::sync
