// SPDX-License-Identifier: Apache-2.0
//
// ProgramLock: a lock of the program's (omp_lock_t, a nest lock's, a critical region's), in four
// bytes of the program's memory. Its waiters are queued out of line, in LockWaiters (decision
// 0015).
//
//     0 free   1 held   2 held, and someone may be queued
//
//     0 -> 1   a newcomer takes it
//     0 -> 2   one who has been queued takes it: others may still be queued
//     1 -> 2, 2 -> 2   a waiter marks it, under its bucket's lock, right before it is queued
//     1 -> 0   the holder gives it back, by one subtraction
//     2 -> 1   the same subtraction: the holder has it still, and knows of the queue. Others may
//              mark it again. Then, under the bucket's lock,
//     1 -> 0, 2 -> 0   the holder gives it back, and then wakes a waiter
//     1 -> 2, 2 -> 2   the holder hands it over to a waiter, which holds it from then on
//
// No waiter is forgotten. A waiter marks the lock by a read-modify-write. If that comes after the
// holder's subtraction from 1, the waiter finds the lock free, and has taken it. If it comes
// before, the holder subtracts from 2 and looks at the queue under the bucket's lock. So it looks
// after the waiter, which marked the lock and queued under the same lock.
//
// A lock that became free under the bucket's lock has no mark, though others may still be queued.
// The waiter that was woken sets the mark again when it takes the lock or queues again; if none was
// woken, none is queued. Until then releasing and taking the lock costs as little as without a
// queue. Each wake-up reaches a prompt waiter (lock_waiters.h), so while there is a queue the mark
// will soon be set.
//
// The holder's last access to the lock is the one that gives it back: the next holder may free its
// memory. What happens afterwards uses its address alone.
//
// A program that releases a free lock is at fault; a forked child may also do so with a lock that
// was made again for it. The lock's word is below 0 for a moment, which to others means that it is
// held.
//
// A waiter looks for a moment before it queues, and again after it was woken, as a Mutex does.
// [proglock-1] What gives the lock back (release) pairs with what takes it (acquire). A hand-over
//              is ordered by [lockwait-1].
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

    // Takes the lock, after try_lock has failed; waits as `waiter` does. That has, beyond what
    // LockWaiters needs,
    //     LockWait wait()   returns when the record's state is no longer kWaiting: with that state
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

    // What it was before. If that is free, it is the caller's now.
    std::uint32_t mark() { return word_.exchange(kMarked, std::memory_order_acquire); } // [proglock-1]

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
    // After try_lock has failed. Waits in place: blocks the thread.
    TEFF_COLD void wait(std::int32_t priority) TEFF_ACQUIRE() {
        InPlaceWaiter waiter(priority);
        ProgramLockOver::wait(lock_waiters, waiter);
    }
    // The same, as this waiter does.
    template <class Waiter> void wait_as(Waiter& waiter) TEFF_ACQUIRE() { ProgramLockOver::wait(lock_waiters, waiter); }
    void unlock() TEFF_RELEASE() { ProgramLockOver::unlock(lock_waiters); }
};

} // namespace teff::sync
