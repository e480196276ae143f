// SPDX-License-Identifier: Apache-2.0
//
// LockWaiters: who waits for which of the program's locks. The locks have four bytes in the
// program's memory (program_lock.h), so their queues lie here: a table of buckets, chosen by the
// address of the lock.
//
// A LockWaiter is one wait. It lies on the stack of the waiting task and is queued in the bucket of
// its lock, among those of other locks that share the bucket: by priority, the highest first; among
// equals the one that has waited longest. There are several ways to wait: InPlaceWaiter, here, is a
// thread that sleeps; a suspended context is another way. The waiter sets `notify`, by which the
// thread that unlocks ends the wait:
//
//     waiting --> woken         the lock was free a moment ago: compete for it
//     waiting --> handed over   the lock is the waiter's, and was never free in between
//
// Both edges are taken by the thread that unlocks, after it has taken the waiter from the queue,
// and without the bucket's lock. `notify` copies what it needs of the record and then calls settle,
// its last access: the record is gone as soon as its waiter sees the new state. (A futex of a
// record that is gone may still be woken. Only its address counts, and whoever sleeps at that
// address by then looks again.)
// [lockwait-1] settle's store (release) pairs with state's load (acquire): the waiter sees what the
//              earlier holders of the lock wrote, and the record is its own again.
//
// A waiter is prompt if it goes on as soon as it is notified, whatever else its thread does. It is
// not prompt if its worker may be busy with another task, which may itself wait for a task that
// waits for this lock. Such a waiter is never handed the lock, and the thread that notifies it also
// notifies the next ones, up to the first prompt waiter: so if waiters are queued for a free lock,
// one of them is on its way. A waiter may become prompt, and stop being so, while it is queued
// (set_prompt).
//
// A waiter is handed the lock if it is the first in its queue and
//
//     its priority is above 0, or
//     it has waited for Limits::patience(), and ten times as long has passed since that was the
//     reason in this bucket: each hand-over costs a switch of threads, in which the lock does
//     nothing.
//
// Any thread. A bucket's lock is held for some instructions, in which nothing is called but the
// one exchange or store of program_lock.h. Not signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/cache_line.h"
#include "base/clock.h"
#include "idle/limits.h"
#include "sync/mutex.h"

namespace teff::sync {

enum class LockWait : std::uint32_t { kWaiting, kWoken, kHandedOver };

template <class Atomics> struct LockWaiterOver {
    using Notify = void (*)(LockWaiterOver& waiter, LockWait outcome);

    LockWaiterOver(std::int32_t its_priority, bool is_prompt, Notify by)
        : priority(its_priority), notify(by), prompt(is_prompt) {}

    // By `notify`: the last access to the record.
    void settle(LockWait outcome) {
        state_.store(static_cast<std::uint32_t>(outcome), std::memory_order_release); // [lockwait-1]
    }

    // By the waiter.
    [[nodiscard]] LockWait state() const {
        return static_cast<LockWait>(state_.load(std::memory_order_acquire)); // [lockwait-1]
    }
    void begin_waiting() {
        state_.store(static_cast<std::uint32_t>(LockWait::kWaiting), std::memory_order_relaxed); // not queued yet
    }

    // Set by the waiter before it is queued.
    const std::int32_t priority;
    const Notify notify;
    const void* lock = nullptr;
    base::Ticks since = 0; // when it was queued first

    // Under the bucket's lock; once taken from the queue, `after` leads to the next to be notified.
    bool prompt;
    bool queued = false;
    LockWaiterOver* before = nullptr;
    LockWaiterOver* after = nullptr;

  protected:
    typename Atomics::template atomic<std::uint32_t> state_{0};
};

// Blocks the thread.
template <class Atomics> class InPlaceWaiterOver : public LockWaiterOver<Atomics> {
  public:
    using Base = LockWaiterOver<Atomics>;

    explicit InPlaceWaiterOver(std::int32_t its_priority) : Base(its_priority, true, wake_up) {}

    [[nodiscard]] LockWait wait() {
        for (;;) {
            const LockWait state = this->state();
            if (state != LockWait::kWaiting) return state;
            Atomics::wait(this->state_, static_cast<std::uint32_t>(LockWait::kWaiting));
        }
    }

  private:
    static void wake_up(Base& waiter, LockWait outcome) {
        auto& word = static_cast<InPlaceWaiterOver&>(waiter).state_;
        waiter.settle(outcome);
        Atomics::wake(word, 1);
    }
};

// How much of what; the explorer has others.
struct LockLimits {
    static constexpr int kPauses = 100; // of who looks at a lock before it queues, as for a Mutex
    static base::Ticks patience() { return idle::in_ticks(idle::kPatience_ns); }
    static constexpr unsigned kBucketBits = 8;
    static base::Ticks now() { return base::ticks(); }
};

template <class Atomics, class Limits = LockLimits> class LockWaitersOver {
  public:
    using Waiter = LockWaiterOver<Atomics>;

    // Queues the waiter, unless `taken()` says, under the bucket's lock, that the lock has been
    // taken for it.
    template <class Taken> [[nodiscard]] bool queue_unless(Waiter& waiter, const void* lock, Taken&& taken) {
        waiter.begin_waiting();
        waiter.lock = lock;
        if (waiter.since == 0) waiter.since = Limits::now();
        Bucket& bucket = bucket_of(lock);
        const MutexGuard guard(bucket.mutex);
        if (taken()) return false;
        bucket.link(waiter);
        return true;
    }

    // By the waiter, which is queued. False: it has been taken from the queue meanwhile.
    [[nodiscard]] bool set_prompt(Waiter& waiter, bool prompt) {
        const MutexGuard guard(bucket_of(waiter.lock).mutex);
        waiter.prompt = prompt;
        return waiter.queued;
    }

    // The lock is given back: to a waiter, which is handed it, or to those who then may compete for
    // it. `write(bool handed_over)` is called under the bucket's lock, before they are notified.
    template <class Write> void give_back(const void* lock, Write&& write) {
        LockWait outcome = LockWait::kWoken;
        for (Waiter* chosen = choose(bucket_of(lock), lock, write, outcome); chosen != nullptr;) {
            Waiter* const next = chosen->after;
            chosen->notify(*chosen, outcome);
            chosen = next;
        }
    }

    // In a forked child: nobody who waited in place is left. Who waits otherwise and is still there
    // has to be told by his own keeper that he is woken.
    void forget() {
        for (Bucket& bucket : buckets_)
            ::new (&bucket) Bucket;
    }

  private:
    struct alignas(base::kCacheLine) Bucket {
        MutexOver<Atomics> mutex;
        Waiter* first TEFF_GUARDED_BY(mutex) = nullptr;
        Waiter* last TEFF_GUARDED_BY(mutex) = nullptr;
        base::Ticks last_turn TEFF_GUARDED_BY(mutex) = 0; // when a waiter was handed a lock for its patience

        // The first waiter for this lock.
        Waiter* find(const void* lock) TEFF_REQUIRES(mutex) {
            Waiter* waiter = first;
            while (waiter != nullptr && waiter->lock != lock)
                waiter = waiter->after;
            return waiter;
        }

        // Who waits again is mostly the first, who is new the last.
        void link(Waiter& waiter) TEFF_REQUIRES(mutex) {
            Waiter* before = nullptr;
            if (first != nullptr && !goes_before(waiter, *first))
                for (before = last; goes_before(waiter, *before);)
                    before = before->before;
            waiter.queued = true;
            waiter.before = before;
            waiter.after = before == nullptr ? first : before->after;
            (before == nullptr ? first : before->after) = &waiter;
            (waiter.after == nullptr ? last : waiter.after->before) = &waiter;
        }

        void unlink(Waiter& waiter) TEFF_REQUIRES(mutex) {
            (waiter.before == nullptr ? first : waiter.before->after) = waiter.after;
            (waiter.after == nullptr ? last : waiter.after->before) = waiter.before;
            waiter.after = nullptr;
            waiter.queued = false;
        }

        // Takes the waiters up to the first prompt one; chained by `after`.
        Waiter* take_up_to_prompt(const void* lock) TEFF_REQUIRES(mutex) {
            Waiter* chosen = nullptr;
            for (Waiter** end = &chosen; (*end = find(lock)) != nullptr; end = &(*end)->after) {
                unlink(**end);
                if ((*end)->prompt) break;
            }
            return chosen;
        }

        bool is_handed_to(const Waiter& waiter) TEFF_REQUIRES(mutex) {
            if (!waiter.prompt) return false;
            if (waiter.priority > 0) return true;
            const base::Ticks now = Limits::now();
            if (!has_passed(Limits::patience(), waiter.since, now)) return false;
            if (!has_passed(10 * Limits::patience(), last_turn, now)) return false;
            last_turn = now;
            return true;
        }
    };

    static bool goes_before(const Waiter& one, const Waiter& other) {
        if (one.priority != other.priority) return one.priority > other.priority;
        return one.since < other.since;
    }

    // The processors' counters may differ a little.
    static bool has_passed(base::Ticks time, base::Ticks since, base::Ticks now) {
        return now >= since && now - since >= time;
    }

    template <class Write> static Waiter* choose(Bucket& bucket, const void* lock, Write&& write, LockWait& outcome) {
        const MutexGuard guard(bucket.mutex);
        Waiter* const first = bucket.find(lock);
        const bool handed_over = first != nullptr && bucket.is_handed_to(*first);
        write(handed_over);
        if (handed_over) outcome = LockWait::kHandedOver; // and it is a prompt one
        return bucket.take_up_to_prompt(lock);
    }

    Bucket& bucket_of(const void* lock) {
        constexpr std::uint64_t kGoldenRatio = 0x9e37'79b9'7f4a'7c15u; // Fibonacci hashing
        const std::uint64_t spread = reinterpret_cast<std::uintptr_t>(lock) * kGoldenRatio;
        return buckets_[spread >> 1 >> (63 - Limits::kBucketBits)];
    }

    Bucket buckets_[std::size_t{1} << Limits::kBucketBits];
};

using LockWaiters = LockWaitersOver<base::RealAtomics>;
using InPlaceWaiter = InPlaceWaiterOver<base::RealAtomics>;

extern constinit LockWaiters lock_waiters; // one for the process

} // namespace teff::sync
