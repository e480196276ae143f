// SPDX-License-Identifier: Apache-2.0
//
// PriorityQueue: the ready tasks of one lane that carry a priority.
//
// One level for each priority that is present, in a sorted array, so any range of priorities is kept exactly; first in, first out
// within a level. Its lane's owner puts tasks in. It also takes back the newest of what came since a mark: such tasks descend from the task that
// set the mark. Anyone takes the oldest task of the highest level. All that under one lock; highest() is read without it.
//
// Room for a fixed number of tasks, made when the lane's first task with a priority comes, and kept with the lane. Blocks on the lock.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.h"
#include "sched/runnable.h"
#include "sync/mutex.h"

namespace teff::sched {

class PriorityQueue {
  public:
    // Null: no memory.
    static PriorityQueue* try_make(std::uint32_t capacity);

    // Owner. `position` counts the lane's tasks with a priority, upward. False: full.
    [[nodiscard]] bool put(Runnable* item, std::uint64_t position) TEFF_EXCLUDES(lock_);

    // Any thread, no lock: the highest priority that is present, 0 if none is. May be out of date when it returns. A maker of work calls
    // Sleepers::worth_waking after put, a would-be sleeper looks here after Sleepers::enter: [sleep-1] covers it.
    std::int32_t highest() const { return highest_.load(std::memory_order_acquire); } // [priority-1]

    // Any thread: the oldest task of the highest level, if there is one and `allow(item)` says so. It cannot vanish under `allow`.
    template <class Allow> [[nodiscard]] Runnable* take_highest_if(Allow&& allow) TEFF_EXCLUDES(lock_) {
        if (highest() == 0) return nullptr;
        const sync::MutexGuard guard(lock_);
        if (level_count_ == 0) return nullptr;
        const std::uint32_t level = level_count_ - 1;
        const std::uint32_t oldest = levels_[level].oldest;
        return allow(nodes_[oldest].item) ? unlink_locked(level, oldest) : nullptr;
    }

    // Owner: of the tasks that came at position `since` or later, the newest of the highest level that has one.
    [[nodiscard]] Runnable* take_newest_since(std::uint64_t since) TEFF_EXCLUDES(lock_);

    // In a forked child. Under a lock that another thread held, the lists may be in the middle of a change: then they are given up.
    void forget_other_threads() TEFF_EXCLUDES(lock_);

  private:
    static constexpr std::uint32_t kNone = ~0u;

    struct Node {
        Runnable* item;
        std::uint64_t position;
        std::uint32_t older, newer; // older: also the next free node
    };
    struct Level {
        std::int32_t priority;
        std::uint32_t oldest, newest;
    };

    PriorityQueue(Node* nodes, Level* levels, std::uint32_t capacity);

    void clear_locked() TEFF_REQUIRES(lock_);
    std::uint32_t level_for_locked(std::int32_t priority) TEFF_REQUIRES(lock_);
    Runnable* unlink_locked(std::uint32_t level, std::uint32_t node) TEFF_REQUIRES(lock_);
    void publish_highest_locked() TEFF_REQUIRES(lock_) {
        const std::int32_t highest = level_count_ == 0 ? 0 : levels_[level_count_ - 1].priority;
        highest_.store(highest, std::memory_order_release); // [priority-1]
    }

    std::atomic<std::int32_t> highest_{0}; // written under lock_
    sync::Mutex lock_;
    std::uint32_t capacity_;
    std::uint32_t free_ TEFF_GUARDED_BY(lock_);
    std::uint32_t level_count_ TEFF_GUARDED_BY(lock_) = 0;
    Node* nodes_ TEFF_GUARDED_BY(lock_);
    Level* levels_ TEFF_GUARDED_BY(lock_); // lowest priority first
};

} // namespace teff::sched
