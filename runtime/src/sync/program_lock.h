// SPDX-License-Identifier: Apache-2.0
//
// ProgramLock: a lock of the program (omp_lock_t, the lock of a nest lock, the lock of a critical
// region) in four bytes of the program's memory. Its waiters are queued elsewhere, in LockWaiters
// (decision 0015).
//
//     0 free   1 held   2 held, and marked: a waiter may be queued
//
//     0 -> 1   a thread that was not queued takes the lock
//     0 -> 2   a waiter that was queued takes the lock: others may still be queued
//     1 -> 2, 2 -> 2   a waiter marks the lock, under its bucket's lock, right before it is queued
//     1 -> 0   the holder gives the lock back, by one subtraction
//     2 -> 1   the same subtraction: the holder still holds the lock, and knows that there may be a
//              queue. Others may mark the lock again. Then the holder does, under the bucket's lock:
//     1 -> 0, 2 -> 0   it gives the lock back, and then wakes a waiter
//     1 -> 2, 2 -> 2   it hands the lock over to a waiter, which holds it from then on
//
// No waiter is forgotten. A waiter marks the lock by a read-modify-write. If the mark comes after
// the holder's subtraction from 1, the waiter finds the lock free, and has taken it by setting the
// mark. If the mark comes before, the holder subtracts from 2 and looks at the queue under the
// bucket's lock. The waiter marks the lock and queues under that same lock, so the holder finds the
// waiter in the queue.
//
// A lock that is released under the bucket's lock has no mark, although waiters may still be
// queued. The waiter that was woken sets the mark again when it takes the lock or queues again; if
// no waiter was woken, no waiter is queued. Until then, taking and releasing the lock costs as
// little as without a queue. Each wake-up reaches a prompt waiter if one is queued
// (lock_waiters.h), so as long as there is a queue, the mark is soon set again.
//
// The holder's last access to the lock is the access that releases it, because the next holder may
// free the lock's memory. After that access the old holder uses only the lock's address.
//
// A program must not release a free lock, but a forked child may do so with a lock that was
// reinitialised for it. The word is then below 0 for a moment. Other threads treat this value as a
// held lock.
//
// As with a Mutex, a waiter looks at the lock for a moment before it queues, and again after it was
// woken.
// [proglock-1] The access that releases the lock (release) pairs with the access that takes it
//              (acquire). A hand-over is ordered by [lockwait-1].
#pragma once

#include <cstdint>

#include "base/atomics.h"
#include "sync/annotations.h"
#include "sync/lock_waiters.h"
#include "sync/mutex.h"

namespace teff::sync {

template <class Atomics, class Limits = LockLimits> class TEFF_CAPABILITY("mutex") ProgramLockOver {
  public:
    using Waiters = LockWaitersOver<Atomics, Limits>;

    [[nodiscard]] bool try_lock() TEFF_TRY_ACQUIRE(true) { return try_free_to(kHeld); }

    // Takes the lock. Called after try_lock has failed. Waits in the way that `waiter` implements.
    // In addition to the members that LockWaiters needs, a Waiter has
    //     LockWait wait()   returns the state of the record as soon as it is not kWaiting any more
    template <class Waiter> void wait(Waiters& waiters, Waiter& waiter) TEFF_ACQUIRE() {
        std::uint32_t taken = kHeld;
        while (!look_for_a_while(taken)) {
            if (!waiters.queue_unless(waiter, this, [this] { return mark() == kFree; })) return;
            if (waiter.wait() == LockWait::kHandedOver) return;
            taken = kMarked;
        }
    }

    void unlock(Waiters& waiters) TEFF_RELEASE() {
        if (TEFF_UNLIKELY(word_.fetch_sub(1, std::memory_order_release) != kHeld)) // [proglock-1]
            unlock_slow(waiters);
    }

  private:
    static constexpr std::uint32_t kFree = 0, kHeld = 1, kMarked = 2;

    [[nodiscard]] bool try_free_to(std::uint32_t taken) {
        std::uint32_t expected = kFree;
        return word_.compare_exchange_strong(expected, taken, std::memory_order_acquire,
                                             std::memory_order_relaxed); // [proglock-1]
    }

    // Marks the lock. Returns the word's previous value. If that was kFree, the caller has taken
    // the lock.
    std::uint32_t mark() { return word_.exchange(kMarked, std::memory_order_acquire); } // [proglock-1]

    // Returns true if it has found the lock free within its pauses, and has taken it by setting the
    // word to `taken`.
    bool look_for_a_while(std::uint32_t taken) {
        return detail::look_for_a_while<Atomics>(Limits::kPauses, [this, taken] {
            return word_.load(std::memory_order_relaxed) == kFree && try_free_to(taken);
        });
    }

    TEFF_COLD void unlock_slow(Waiters& waiters) {
        std::uint32_t below_free = kFree - 1;
        if (word_.compare_exchange_strong(below_free, kFree, std::memory_order_relaxed, std::memory_order_relaxed))
            return;
        waiters.give_back(this, [this](bool handed_over) {
            if (handed_over) word_.store(kMarked, std::memory_order_relaxed); // seen by the next holder: [lockwait-1]
            else word_.store(kFree, std::memory_order_release);               // [proglock-1]
        });
    }

    typename Atomics::template atomic<std::uint32_t> word_{kFree};
};

class ProgramLock : public ProgramLockOver<base::RealAtomics> {
  public:
    void lock() TEFF_ACQUIRE() {
        if (TEFF_UNLIKELY(!try_lock())) wait(0);
    }
    // Takes the lock. Called after try_lock has failed. Waits in place: blocks the thread.
    TEFF_COLD void wait(std::int32_t priority) TEFF_ACQUIRE() {
        InPlaceWaiter waiter(priority);
        ProgramLockOver::wait(lock_waiters, waiter);
    }
    // Takes the lock. Called after try_lock has failed. Waits in the way that `waiter` implements.
    template <class Waiter> void wait_as(Waiter& waiter) TEFF_ACQUIRE() { ProgramLockOver::wait(lock_waiters, waiter); }
    void unlock() TEFF_RELEASE() { ProgramLockOver::unlock(lock_waiters); }
};

} // namespace teff::sync
