// SPDX-License-Identifier: Apache-2.0
//
// SharedQueue: the ready tasks of a team that no single lane owns: those made ready by who is no member, or by a fulfilled event.
//
// One list per priority level under one lock; a bitmap of the levels in use can be read without it, so a team that never puts
// anything here pays one relaxed load. First in, first out within a level; priorities above kLevels - 1 share the top level, kept sorted.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/runnable.h"
#include "sync/mutex.h"

namespace teff::sched {

class SharedQueue {
  public:
    static constexpr int kLevels = 64;

    void put(Runnable* item) TEFF_EXCLUDES(lock_);

    // Any thread, no lock; may be out of date when it returns. A maker of work calls Sleepers::worth_waking after put, a would-be
    // sleeper calls this after Sleepers::enter: [sleep-1] covers it.
    bool looks_empty() const { return in_use_.load(std::memory_order_acquire) == 0; }
    // The highest level in use; 0 also if none is.
    int highest() const {
        const std::uint64_t levels = in_use_.load(std::memory_order_acquire);
        return levels == 0 ? 0 : 63 - __builtin_clzll(levels);
    }

    // The first item of the highest level that `allow(item)` admits, among the first `at_most` items; null if none. Items cannot vanish under
    // `allow`: the lock is held.
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

    // In a forked child. Under a lock that another thread held, the lists may be in the middle of a change: then they are given up.
    void forget_other_threads() TEFF_EXCLUDES(lock_);

  private:
    Runnable* unlink_locked(int level, Runnable* before, Runnable* item) TEFF_REQUIRES(lock_);

    sync::Mutex lock_;
    std::atomic<std::uint64_t> in_use_{0}; // written under lock_
    Runnable* head_[kLevels] TEFF_GUARDED_BY(lock_) = {};
    Runnable* tail_[kLevels] TEFF_GUARDED_BY(lock_) = {};
};

} // namespace teff::sched
