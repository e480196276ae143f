// SPDX-License-Identifier: Apache-2.0
//
// Mutex: a 4-byte lock over a futex, for the runtime's own short critical sections. (The program's
// locks are ProgramLocks.)
//
//     0 free   1 held   2 contended: held, and a thread may sleep
//
// The scheme is mutex 2 of Drepper, "Futexes are tricky" (2011). A waiter looks at the lock for a
// moment before it sleeps, and again after each sleep, because a thread that releases the lock
// often takes it again at once, and holds it only for a moment. The waiter looks less and less
// often, because each look takes the cache line away from the holder. A thread that has slept sets
// the lock to contended (2) when it takes the lock, because other threads may be asleep as well.
// [mutex-1] The exchange in unlock() (release) pairs with the acquire by which the next thread
//           takes the lock.
//
// lock() blocks the thread.
#pragma once

#include <cstdint>

#include "base/atomics.h"
#include "base/contention.h"
#include "sync/annotations.h"

namespace teff::sync {

namespace detail {
// Calls `take()`, less and less often, until it returns true, which means that it has taken the
// free lock. Returns false when `pauses` pauses, of some tens of nanoseconds each, have passed.
template <class Atomics, class Take> bool look_for_a_while(int pauses, Take&& take) {
    constexpr int kLongestPause = 8;
    for (int pause = 1, left = pauses; left > 0; left -= pause, pause = pause < kLongestPause ? pause * 2 : pause) {
        if (take()) return true;
        for (int i = 0; i < pause; ++i)
            Atomics::cpu_relax();
    }
    return false;
}
} // namespace detail

// `kCountsAs`: the counter for waits for this lock, where contention is counted.
template <class Atomics, teff_stat_count kCountsAs = TEFF_STAT_LOCKS_CONTENDED>
class TEFF_CAPABILITY("mutex") MutexOver {
  public:
    void lock() TEFF_ACQUIRE() {
        if (TEFF_UNLIKELY(!try_free_to_held())) lock_slow();
    }

    [[nodiscard]] bool try_lock() TEFF_TRY_ACQUIRE(true) { return try_free_to_held(); }

    void unlock() TEFF_RELEASE() {
        if (TEFF_UNLIKELY(word_.exchange(kFree, std::memory_order_release) == kContended)) // [mutex-1]
            Atomics::wake(word_, 1);
    }

  private:
    static constexpr std::uint32_t kFree = 0, kHeld = 1, kContended = 2;

    [[nodiscard]] bool try_free_to_held() { return try_free_to(kHeld); }
    [[nodiscard]] bool try_free_to(std::uint32_t taken) {
        std::uint32_t expected = kFree;
        return word_.compare_exchange_strong(expected, taken, std::memory_order_acquire,
                                             std::memory_order_relaxed); // [mutex-1]
    }

    TEFF_COLD void lock_slow() {
        [[maybe_unused]] const base::Contention<kCountsAs> contention;
        std::uint32_t taken = kHeld;
        while (!look_for_a_while(taken)) {
            if (word_.exchange(kContended, std::memory_order_acquire) == kFree) return; // [mutex-1]
            Atomics::wait(word_, kContended);
            taken = kContended;
        }
    }

    // Returns true if it has found the lock free, and has taken it by setting the word to `taken`.
    bool look_for_a_while(std::uint32_t taken) {
        constexpr int kPauses = 100;
        return detail::look_for_a_while<Atomics>(
            kPauses, [this, taken] { return word_.load(std::memory_order_relaxed) == kFree && try_free_to(taken); });
    }

    typename Atomics::template atomic<std::uint32_t> word_{kFree};
};

using Mutex = MutexOver<base::RealAtomics>;

template <class Lock> class TEFF_SCOPED_CAPABILITY MutexGuard {
  public:
    explicit MutexGuard(Lock& mutex) TEFF_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
    ~MutexGuard() TEFF_RELEASE() { mutex_.unlock(); }
    MutexGuard(const MutexGuard&) = delete;
    MutexGuard& operator=(const MutexGuard&) = delete;

  private:
    Lock& mutex_;
};

} // namespace teff::sync
