// SPDX-License-Identifier: Apache-2.0
//
// SharedQueue: the ready tasks of a team that belong to no lane. A thread outside of the team, or a
// fulfilled event, has made these tasks ready.
//
// The queue has one list for each priority level, all under one lock. A bitmap of the levels in use
// can be read without the lock, so a team that never puts a task here pays one load. Within a level
// the order is first in, first out. Priorities above kLevels - 1 share the top level, whose list is
// kept sorted.
//
// [shared-1] in_use_ changes under the lock (release) and is read without the lock (acquire): a
//            thread that finds a level in use also finds the tasks that were put there.
#pragma once

#include <cstdint>
#include <new>

#include "sched/runnable.h"
#include "sync/mutex.h"

namespace teff::sched {

template <class Atomics> class SharedQueueOver {
  public:
    static constexpr int kLevels = 64;

    void put(Runnable* item) TEFF_EXCLUDES(lock_);

    // May be called by any thread, without the lock. The answer may be out of date on return. A
    // maker of work calls Sleepers::worth_waking after put, and a member that is about to sleep
    // calls this after Sleepers::enter: [sleep-1] covers both.
    bool looks_empty() const { return in_use_.load(std::memory_order_acquire) == 0; }
    // Returns the highest level in use, or 0 if no level is in use.
    int highest() const {
        const std::uint64_t levels = in_use_.load(std::memory_order_acquire); // [shared-1]
        return levels == 0 ? 0 : 63 - __builtin_clzll(levels);
    }

    // Takes the first item that `allow(item)` admits, from the highest level down, among the first
    // `at_most` items. Returns null if there is none. Items cannot vanish while `allow` looks at
    // them, because the lock is held.
    template <class Allow> [[nodiscard]] Runnable* take_if(Allow&& allow, unsigned at_most = ~0u) TEFF_EXCLUDES(lock_) {
        if (looks_empty()) return nullptr;
        const sync::MutexGuard guard(lock_);
        for (std::uint64_t levels = in_use_.load(std::memory_order_relaxed); levels != 0;) {
            const int level = 63 - __builtin_clzll(levels);
            Runnable* before = nullptr;
            for (Runnable* item = head_[level]; item != nullptr; before = item, item = item->next) {
                if (at_most-- == 0) return nullptr;
                if (allow(item)) return unlink_locked(level, before, item);
            }
            levels &= ~(std::uint64_t{1} << level);
        }
        return nullptr;
    }

    // Called in a forked child. If another thread held the lock at the fork, the lists may be half
    // changed: then empties the queue and makes the lock new.
    void forget_other_threads() TEFF_EXCLUDES(lock_);

  private:
    Runnable* unlink_locked(int level, Runnable* before, Runnable* item) TEFF_REQUIRES(lock_);

    using Lock = sync::MutexOver<Atomics, TEFF_STAT_QUEUE_CONTENDED>;

    Lock lock_;
    typename Atomics::template atomic<std::uint64_t> in_use_{0}; // written under lock_
    Runnable* head_[kLevels] TEFF_GUARDED_BY(lock_) = {};
    Runnable* tail_[kLevels] TEFF_GUARDED_BY(lock_) = {};
};

template <class Atomics> void SharedQueueOver<Atomics>::put(Runnable* item) {
    const int level = item->priority < 0 ? 0 : item->priority < kLevels ? item->priority : kLevels - 1;
    const sync::MutexGuard guard(lock_);
    Runnable* before = tail_[level];
    if (before != nullptr && before->priority < item->priority) { // only the top level mixes priorities
        before = nullptr;
        for (Runnable* at = head_[level]; at->priority >= item->priority; at = at->next)
            before = at;
    }
    item->next = before == nullptr ? head_[level] : before->next;
    (before == nullptr ? head_[level] : before->next) = item;
    if (item->next == nullptr) tail_[level] = item;
    in_use_.store(in_use_.load(std::memory_order_relaxed) | std::uint64_t{1} << level,
                  std::memory_order_release); // [shared-1]
}

template <class Atomics> void SharedQueueOver<Atomics>::forget_other_threads() {
    if (lock_.try_lock()) return lock_.unlock();
    ::new (&lock_) Lock;
    const sync::MutexGuard guard(lock_);
    in_use_.store(0, std::memory_order_relaxed);
    for (int level = 0; level < kLevels; ++level)
        head_[level] = tail_[level] = nullptr;
}

template <class Atomics>
Runnable* SharedQueueOver<Atomics>::unlink_locked(int level, Runnable* before, Runnable* item) {
    (before == nullptr ? head_[level] : before->next) = item->next;
    if (tail_[level] == item) tail_[level] = before;
    set_place(*item, kNoPlace);
    if (head_[level] == nullptr)
        in_use_.store(in_use_.load(std::memory_order_relaxed) & ~(std::uint64_t{1} << level),
                      std::memory_order_release); // [shared-1]
    return item;
}

using SharedQueue = SharedQueueOver<base::RealAtomics>;

} // namespace teff::sched
