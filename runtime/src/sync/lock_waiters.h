// SPDX-License-Identifier: Apache-2.0
//
// LockWaiters: the queues of waiters for the program's locks. A lock has only four bytes in the
// program's memory (program_lock.h), so the queues are kept here, in a table of buckets. A lock's
// address selects its bucket.
//
// A LockWaiter represents one wait. It lies on the stack of the waiting task and is queued in its
// lock's bucket. Locks whose addresses select the same bucket share its queue. The queue is sorted
// by priority, the highest first; among equal priorities the waiter that has waited longest comes
// first. There are several kinds of waiters: an InPlaceWaiter (below) is a sleeping thread; another
// kind is a suspended context. The waiter sets `notify`, the function by which the unlocking thread
// ends the wait:
//
//     waiting --> woken         the lock was free a moment ago: compete for it
//     waiting --> handed over   the waiter holds the lock, which was never free in between
//
// The unlocking thread makes both transitions, after it has taken the waiter from the queue, and
// without holding the bucket's lock. `notify` copies the data that it needs from the record and
// then calls settle, its last access: as soon as the waiter sees the new state, the record may no
// longer exist. (Therefore the futex wake-up may use the address of a record that no longer exists.
// That is harmless: only the address counts, and any thread that sleeps at that address by then
// checks its condition again.)
// [lockwait-1] The store in settle() (release) pairs with the load in state() (acquire): the waiter
//              sees all writes of the earlier lock holders, and has exclusive use of the record
//              again.
//
// A waiter is prompt if it continues as soon as it is notified, without waiting for other work of
// its thread. A waiter is not prompt if its worker may be busy with another task, which may itself
// wait for a task that waits for this lock. A waiter that is not prompt is never handed the lock.
// The thread that notifies it also notifies the next waiters, up to and including the first prompt
// one. So if waiters are queued for a free lock, at least one prompt waiter is about to compete for
// it. A queued waiter may become prompt and may stop being prompt (set_prompt).
//
// A waiter is handed the lock if it is prompt, is the first waiter for the lock, and
//
//     its priority is above 0, or
//     it has waited for Limits::patience(), and at least ten times this time has passed since the
//     last hand-over of this kind to a waiter of this bucket. (Each hand-over costs a switch of
//     threads, during which no thread uses the lock.)
//
// Any thread may call these functions. A bucket's lock is held for a few instructions only; the
// only call made under it is the single exchange or store of program_lock.h. Not signal-safe.
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

    // Called by `notify`, as its last access to the record.
    void settle(LockWait outcome) {
        state_.store(static_cast<std::uint32_t>(outcome), std::memory_order_release); // [lockwait-1]
    }

    // Called by the waiter.
    [[nodiscard]] LockWait state() const {
        return static_cast<LockWait>(state_.load(std::memory_order_acquire)); // [lockwait-1]
    }
    void begin_waiting() {
        state_.store(static_cast<std::uint32_t>(LockWait::kWaiting), std::memory_order_relaxed); // not queued yet
    }

    // Set by the waiter before it is queued, and constant while it is queued.
    const std::int32_t priority;
    const Notify notify;
    const void* lock = nullptr;
    base::Ticks since = 0; // when the waiter was first queued

    // These fields require the bucket's lock. When the waiter has been taken from the queue,
    // `after` points to the next waiter to be notified, and only the unlocking thread reads it.
    bool prompt;
    bool queued = false;
    LockWaiterOver* before = nullptr;
    LockWaiterOver* after = nullptr;

  protected:
    typename Atomics::template atomic<std::uint32_t> state_{0};
};

// A waiter whose thread sleeps. Blocks the thread.
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

// The limits and the clock of the process. The explorer uses others.
struct LockLimits {
    static constexpr int kPauses = 100; // number of pauses while looking at a lock before queueing, as in a Mutex
    static base::Ticks patience() { return idle::in_ticks(idle::kPatience_ns); }
    static constexpr unsigned kBucketBits = 8;
    static base::Ticks now() { return base::ticks(); }
};

template <class Atomics, class Limits = LockLimits> class LockWaitersOver {
  public:
    using Waiter = LockWaiterOver<Atomics>;

    // Calls `taken()` under the bucket's lock. If it returns true, `taken` has taken the lock for
    // the waiter: then returns false. Otherwise queues the waiter and returns true.
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

    // Called by the waiter after it was queued. Sets whether the waiter is prompt from now on.
    // Returns false if the waiter has been taken from the queue meanwhile.
    [[nodiscard]] bool set_prompt(Waiter& waiter, bool prompt) {
        const MutexGuard guard(bucket_of(waiter.lock).mutex);
        waiter.prompt = prompt;
        return waiter.queued;
    }

    // Gives the lock back. Either hands it over to a waiter or makes it free and wakes waiters,
    // which then compete for it. Calls `write(bool handed_over)` under the bucket's lock, before
    // any waiter is notified.
    template <class Write> void give_back(const void* lock, Write&& write) {
        LockWait outcome = LockWait::kWoken;
        for (Waiter* chosen = choose(bucket_of(lock), lock, write, outcome); chosen != nullptr;) {
            Waiter* const next = chosen->after;
            chosen->notify(*chosen, outcome);
            chosen = next;
        }
    }

    // Called in a forked child. Empties all queues, because no thread that waited in place still
    // exists. The code that keeps a waiter of another kind must notify this waiter that it is
    // woken.
    void forget() {
        for (Bucket& bucket : buckets_)
            ::new (&bucket) Bucket;
    }

  private:
    struct alignas(base::kCacheLine) Bucket {
        MutexOver<Atomics> mutex;
        Waiter* first TEFF_GUARDED_BY(mutex) = nullptr;
        Waiter* last TEFF_GUARDED_BY(mutex) = nullptr;
        base::Ticks last_turn TEFF_GUARDED_BY(mutex) = 0; // when a waiter was last handed a lock for its patience

        // Returns the first waiter for this lock, or null.
        Waiter* find(const void* lock) TEFF_REQUIRES(mutex) {
            Waiter* waiter = first;
            while (waiter != nullptr && waiter->lock != lock)
                waiter = waiter->after;
            return waiter;
        }

        // Inserts the waiter in the queue's order. Tries the front first, then searches backwards
        // from the end: a waiter that queues again mostly becomes the first, and a new waiter the
        // last.
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

        // Takes the waiters for this lock from the queue, up to and including the first prompt one.
        // Returns the first of them; `after` chains them.
        Waiter* take_up_to_prompt(const void* lock) TEFF_REQUIRES(mutex) {
            Waiter* chosen = nullptr;
            for (Waiter** end = &chosen; (*end = find(lock)) != nullptr; end = &(*end)->after) {
                unlink(**end);
                if ((*end)->prompt) break;
            }
            return chosen;
        }

        // Returns true if the lock is to be handed to `waiter`, the first in its queue. If the
        // reason is the waiter's patience, records the time of this hand-over.
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

    // `now` may be a little before `since`: the counters of two processors may differ.
    static bool has_passed(base::Ticks time, base::Ticks since, base::Ticks now) {
        return now >= since && now - since >= time;
    }

    template <class Write> static Waiter* choose(Bucket& bucket, const void* lock, Write&& write, LockWait& outcome) {
        const MutexGuard guard(bucket.mutex);
        Waiter* const first = bucket.find(lock);
        const bool handed_over = first != nullptr && bucket.is_handed_to(*first);
        write(handed_over);
        if (handed_over) outcome = LockWait::kHandedOver; // the waiter is prompt, so no other waiter was taken
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
