// SPDX-License-Identifier: Apache-2.0
#include "sched/shared_queue.h"

#include <new>

namespace teff::sched {

void SharedQueue::put(Runnable* item) {
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
    in_use_.store(in_use_.load(std::memory_order_relaxed) | std::uint64_t{1} << level, std::memory_order_release);
}

void SharedQueue::forget_other_threads() {
    if (lock_.try_lock()) return lock_.unlock();
    ::new (&lock_) sync::Mutex;
    const sync::MutexGuard guard(lock_);
    in_use_.store(0, std::memory_order_relaxed);
    for (int level = 0; level < kLevels; ++level)
        head_[level] = tail_[level] = nullptr;
}

Runnable* SharedQueue::unlink_locked(int level, Runnable* before, Runnable* item) {
    (before == nullptr ? head_[level] : before->next) = item->next;
    if (tail_[level] == item) tail_[level] = before;
    if (head_[level] == nullptr)
        in_use_.store(in_use_.load(std::memory_order_relaxed) & ~(std::uint64_t{1} << level),
                      std::memory_order_release);
    return item;
}

} // namespace teff::sched
