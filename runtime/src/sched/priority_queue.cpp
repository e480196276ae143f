// SPDX-License-Identifier: Apache-2.0
#include "sched/priority_queue.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace teff::sched {

PriorityQueue* PriorityQueue::try_make(std::uint32_t capacity) {
    const std::size_t bytes = sizeof(PriorityQueue) + capacity * (sizeof(Node) + sizeof(Level));
    auto* memory = static_cast<char*>(std::malloc(bytes));
    if (memory == nullptr) return nullptr;
    auto* nodes = reinterpret_cast<Node*>(memory + sizeof(PriorityQueue));
    return ::new (memory) PriorityQueue(nodes, reinterpret_cast<Level*>(nodes + capacity), capacity);
}

PriorityQueue::PriorityQueue(Node* nodes, Level* levels, std::uint32_t capacity)
    : capacity_(capacity), nodes_(nodes), levels_(levels) {
    const sync::MutexGuard guard(lock_);
    clear_locked();
}

void PriorityQueue::clear_locked() {
    for (std::uint32_t i = 0; i < capacity_; ++i)
        nodes_[i].older = i + 1 < capacity_ ? i + 1 : kNone;
    free_ = 0;
    level_count_ = 0;
    publish_highest_locked();
}

// The level of this priority, made if need be.
std::uint32_t PriorityQueue::level_for_locked(std::int32_t priority) {
    std::uint32_t low = 0;
    for (std::uint32_t high = level_count_; low < high;) {
        const std::uint32_t middle = (low + high) / 2;
        if (levels_[middle].priority < priority) low = middle + 1;
        else high = middle;
    }
    if (low < level_count_ && levels_[low].priority == priority) return low;
    std::memmove(&levels_[low + 1], &levels_[low], (level_count_ - low) * sizeof(Level));
    levels_[low] = {priority, kNone, kNone};
    ++level_count_;
    return low;
}

bool PriorityQueue::put(Runnable* item, std::uint64_t position) {
    const sync::MutexGuard guard(lock_);
    if (free_ == kNone) return false;
    const std::uint32_t node = free_;
    free_ = nodes_[node].older;
    Level& level = levels_[level_for_locked(item->priority)];
    nodes_[node] = {item, position, level.newest, kNone};
    (level.newest == kNone ? level.oldest : nodes_[level.newest].newer) = node;
    level.newest = node;
    publish_highest_locked();
    return true;
}

Runnable* PriorityQueue::unlink_locked(std::uint32_t level_index, std::uint32_t node) {
    Level& level = levels_[level_index];
    const Node& gone = nodes_[node];
    Runnable* const item = gone.item;
    (gone.older == kNone ? level.oldest : nodes_[gone.older].newer) = gone.newer;
    (gone.newer == kNone ? level.newest : nodes_[gone.newer].older) = gone.older;
    nodes_[node].older = free_;
    free_ = node;
    if (level.oldest == kNone) {
        --level_count_;
        std::memmove(&levels_[level_index], &levels_[level_index + 1], (level_count_ - level_index) * sizeof(Level));
        publish_highest_locked();
    }
    return item;
}

Runnable* PriorityQueue::take_newest_since(std::uint64_t since) {
    if (highest() == 0) return nullptr;
    const sync::MutexGuard guard(lock_);
    for (std::uint32_t level = level_count_; level-- > 0;) {
        const std::uint32_t newest = levels_[level].newest;
        if (nodes_[newest].position >= since) return unlink_locked(level, newest);
    }
    return nullptr;
}

void PriorityQueue::forget_other_threads() {
    if (lock_.try_lock()) return lock_.unlock();
    ::new (&lock_) sync::Mutex;
    const sync::MutexGuard guard(lock_);
    clear_locked();
}

} // namespace teff::sched
