// SPDX-License-Identifier: Apache-2.0
//
// PriorityQueue: the ready tasks of one lane that carry a priority.
//
// The queue has one level for each priority that is present, in a sorted array, so the order is
// exact for any range of priorities. Within a level the tasks are in the order of their places
// (runnable.h). Tasks of one place are in the order in which they were put in. The lane's owner
// puts tasks in, and takes back the newest task that a waiting task may run. Any thread may take
// the oldest task of the highest level. All accesses happen under one lock, except that highest()
// and oldest() are read without the lock.
//
// Most tasks go to the end of their level, or near its front: a started task's children go before
// all tasks that have not started. So put() searches for a task's position from both ends at once.
//
// The queue's memory is allocated when the lane's first task with a priority comes, and kept with
// the lane. put() refuses tasks for which this memory has no space, so that their creator runs
// tasks in the meantime; put_growing() allocates more memory. The functions may block on the lock.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/cache_line.h"
#include "sched/runnable.h"
#include "sync/mutex.h"

namespace teff::sched {

template <class Atomics> class PriorityQueueOver {
  public:
    // Makes a queue for `capacity` tasks. Returns null if there is no memory. The caller owns the
    // queue, and frees it by `destroy`.
    static PriorityQueueOver* try_make(std::uint32_t capacity);
    static void destroy(PriorityQueueOver* queue); // null is allowed

    // Adds a task at its place in its level, behind all tasks of that place. Returns false if the
    // queue is full. If the queue belongs to a lane, called by the lane's owner only.
    [[nodiscard]] bool put(Runnable* item, Place place = kLast) TEFF_EXCLUDES(lock_) {
        const sync::MutexGuard guard(lock_);
        return count_ < capacity_ && put_locked(item, place);
    }
    // As put, but allocates more memory if the queue is full. Returns false if there is no memory.
    [[nodiscard]] TEFF_COLD bool put_growing(Runnable* item, Place place) TEFF_EXCLUDES(lock_) {
        const sync::MutexGuard guard(lock_);
        return (free_ != kNone || try_grow_locked()) && put_locked(item, place);
    }

    static constexpr std::int32_t kNothing = INT32_MIN;

    // Returns the highest priority that is present, or kNothing. May be called by any thread,
    // without the lock. The answer may be out of date on return. A maker of work calls
    // Sleepers::worth_waking after put, and a member that is about to sleep calls this after
    // Sleepers::enter: [sleep-1] covers both.
    std::int32_t highest() const { return highest_.load(std::memory_order_acquire); } // [priority-1]
    // Returns the place of the oldest task of the highest level, or kLast if the queue is empty.
    // This is a hint: the queue may change between this call and a call of highest().
    Place oldest() const { return oldest_.load(std::memory_order_relaxed); }

    // Takes the oldest task of the highest level if `allow(item)` returns true; otherwise returns
    // null. The task cannot vanish while `allow` looks at it. May be called by any thread.
    template <class Allow> [[nodiscard]] Runnable* take_highest_if(Allow&& allow) TEFF_EXCLUDES(lock_) {
        if (highest() == kNothing) return nullptr;
        const sync::MutexGuard guard(lock_);
        if (level_count_ == 0) return nullptr;
        const std::uint32_t level = level_count_ - 1;
        const std::uint32_t oldest = levels_[level].oldest;
        return allow(nodes_[oldest].item) ? unlink_locked(level, oldest) : nullptr;
    }

    // Takes the newest admitted task of the highest level that has an admitted task. Asks `allow`
    // about at most `at_most` tasks of each level. Returns null if it finds none. May be called by
    // any thread.
    template <class Allow>
    [[nodiscard]] Runnable* take_newest_if(Allow&& allow, std::uint32_t at_most = ~0u) TEFF_EXCLUDES(lock_) {
        if (highest() == kNothing) return nullptr;
        const sync::MutexGuard guard(lock_);
        for (std::uint32_t level = level_count_; level-- > 0;) {
            const std::uint32_t node = find_newest_locked(level, allow, at_most);
            if (node != kNone) return unlink_locked(level, node);
        }
        return nullptr;
    }

    // Takes the newest admitted task of this place from the highest level that has one. May be
    // called by any thread.
    template <class Allow> [[nodiscard]] Runnable* take_at_if(Place place, Allow&& allow) TEFF_EXCLUDES(lock_) {
        if (highest() == kNothing) return nullptr;
        const sync::MutexGuard guard(lock_);
        for (std::uint32_t level = level_count_; level-- > 0;) {
            const std::uint32_t node = find_at_locked(level, place, allow);
            if (node != kNone) return unlink_locked(level, node);
        }
        return nullptr;
    }

    // Returns true if the queue has a task of this place that `allow` admits. May be called by any
    // thread.
    template <class Allow> [[nodiscard]] bool has_at(Place place, Allow&& allow) TEFF_EXCLUDES(lock_) {
        if (highest() == kNothing) return false;
        const sync::MutexGuard guard(lock_);
        for (std::uint32_t level = level_count_; level-- > 0;)
            if (find_at_locked(level, place, allow) != kNone) return true;
        return false;
    }

    // Returns true if `allow` admits one of the newest `at_most` tasks of a level. May be called by
    // any thread.
    template <class Allow> [[nodiscard]] bool has_newest(Allow&& allow, std::uint32_t at_most) TEFF_EXCLUDES(lock_) {
        if (highest() == kNothing) return false;
        const sync::MutexGuard guard(lock_);
        for (std::uint32_t level = level_count_; level-- > 0;)
            if (find_newest_locked(level, allow, at_most) != kNone) return true;
        return false;
    }

    std::uint32_t size() TEFF_EXCLUDES(lock_) {
        const sync::MutexGuard guard(lock_);
        return count_;
    }

    // Called in a forked child. If another thread held the lock at the fork, the lists may be half
    // changed: then empties the queue and makes the lock new.
    void forget_other_threads() TEFF_EXCLUDES(lock_);

  private:
    static constexpr std::uint32_t kNone = ~0u;

    struct Node {
        Runnable* item;
        Place place;
        std::uint32_t older, newer; // older: in a free node, the next free node
    };
    struct Level {
        std::int32_t priority;
        std::uint32_t oldest, newest;
    };

    PriorityQueueOver(Node* nodes, Level* levels, std::uint32_t capacity);

    void clear_locked() TEFF_REQUIRES(lock_);
    bool put_locked(Runnable* item, Place place) TEFF_REQUIRES(lock_);
    // Returns the newest node of this place in the level that `allow` admits; or kNone.
    template <class Allow>
    std::uint32_t find_at_locked(std::uint32_t level, Place place, Allow&& allow) TEFF_REQUIRES(lock_) {
        std::uint32_t node = last_before_locked(levels_[level], place);
        for (; node != kNone && nodes_[node].place == place; node = nodes_[node].older)
            if (allow(nodes_[node].item)) return node;
        return kNone;
    }
    // Returns the newest node of the level that `allow` admits, among the newest `at_most`; or
    // kNone.
    template <class Allow>
    std::uint32_t find_newest_locked(std::uint32_t level, Allow&& allow, std::uint32_t at_most) TEFF_REQUIRES(lock_) {
        std::uint32_t node = levels_[level].newest;
        for (; node != kNone && at_most != 0; node = nodes_[node].older, --at_most)
            if (allow(nodes_[node].item)) return node;
        return kNone;
    }
    bool try_grow_locked() TEFF_REQUIRES(lock_);
    std::uint32_t level_for_locked(std::int32_t priority) TEFF_REQUIRES(lock_);
    std::uint32_t last_before_locked(const Level& level, Place place) TEFF_REQUIRES(lock_);
    Runnable* unlink_locked(std::uint32_t level, std::uint32_t node) TEFF_REQUIRES(lock_);
    // Called when the first task of the highest level may have changed, or may have another place.
    // A take that changes neither stores nothing, so the cache line stays with its readers.
    void publish_first_locked() TEFF_REQUIRES(lock_) {
        const std::int32_t highest = level_count_ == 0 ? kNothing : levels_[level_count_ - 1].priority;
        const Place oldest = level_count_ == 0 ? kLast : nodes_[levels_[level_count_ - 1].oldest].place;
        highest_.store(highest, std::memory_order_release); // [priority-1]
        oldest_.store(oldest, std::memory_order_relaxed);
    }

    typename Atomics::template atomic<std::int32_t> highest_{kNothing}; // written under lock_
    typename Atomics::template atomic<Place> oldest_{kLast};            // written under lock_
    using Lock = sync::MutexOver<Atomics, TEFF_STAT_PRIORITY_CONTENDED>;

    Lock lock_;
    std::uint32_t capacity_;                          // put() refuses further tasks
    std::uint32_t nodes_made_ TEFF_GUARDED_BY(lock_); // more than capacity_ if the queue has grown
    std::uint32_t count_ TEFF_GUARDED_BY(lock_) = 0;  // number of tasks
    void* grown_ = nullptr;                           // the memory of nodes_ and levels_ if the queue has grown
    std::uint32_t free_ TEFF_GUARDED_BY(lock_);
    std::uint32_t level_count_ TEFF_GUARDED_BY(lock_) = 0;
    Node* nodes_ TEFF_GUARDED_BY(lock_);
    Level* levels_ TEFF_GUARDED_BY(lock_); // lowest priority first
};

template <class Atomics> PriorityQueueOver<Atomics>* PriorityQueueOver<Atomics>::try_make(std::uint32_t capacity) {
    const std::size_t bytes = sizeof(PriorityQueueOver) + capacity * (sizeof(Node) + sizeof(Level));
    constexpr std::size_t kAlign = base::kCacheLine;
    auto* memory = static_cast<char*>(std::aligned_alloc(kAlign, (bytes + kAlign - 1) / kAlign * kAlign));
    if (memory == nullptr) return nullptr;
    auto* nodes = reinterpret_cast<Node*>(memory + sizeof(PriorityQueueOver));
    return ::new (memory) PriorityQueueOver(nodes, reinterpret_cast<Level*>(nodes + capacity), capacity);
}

template <class Atomics>
PriorityQueueOver<Atomics>::PriorityQueueOver(Node* nodes, Level* levels, std::uint32_t capacity)
    : capacity_(capacity), nodes_made_(capacity), nodes_(nodes), levels_(levels) {
    const sync::MutexGuard guard(lock_);
    clear_locked();
}

template <class Atomics> void PriorityQueueOver<Atomics>::destroy(PriorityQueueOver* queue) {
    if (queue == nullptr) return;
    std::free(queue->grown_);
    std::free(queue);
}

template <class Atomics> bool PriorityQueueOver<Atomics>::try_grow_locked() {
    if (nodes_made_ > (kNone >> 2)) return false;
    const std::uint32_t more = 2 * nodes_made_;
    void* const memory = std::malloc(more * (sizeof(Node) + sizeof(Level)));
    if (memory == nullptr) return false;
    auto* const nodes = static_cast<Node*>(memory);
    auto* const levels = reinterpret_cast<Level*>(nodes + more);
    std::memcpy(nodes, nodes_, nodes_made_ * sizeof(Node));
    std::memcpy(levels, levels_, level_count_ * sizeof(Level));
    for (std::uint32_t i = nodes_made_; i < more; ++i)
        nodes[i].older = i + 1 < more ? i + 1 : free_;
    nodes_ = nodes;
    levels_ = levels;
    free_ = nodes_made_;
    nodes_made_ = more;
    std::free(std::exchange(grown_, memory)); // freed last, because the process may be forked at any point here
    return true;
}

template <class Atomics> void PriorityQueueOver<Atomics>::clear_locked() {
    for (std::uint32_t i = 0; i < nodes_made_; ++i)
        nodes_[i].older = i + 1 < nodes_made_ ? i + 1 : kNone;
    free_ = 0;
    count_ = 0;
    level_count_ = 0;
    publish_first_locked();
}

// Returns the index of the level of this priority, and makes the level if it is not present.
template <class Atomics> std::uint32_t PriorityQueueOver<Atomics>::level_for_locked(std::int32_t priority) {
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

// Returns the last node of the level whose place is not behind `place`; kNone if there is none.
template <class Atomics> std::uint32_t PriorityQueueOver<Atomics>::last_before_locked(const Level& level, Place place) {
    std::uint32_t from_end = level.newest, from_front = level.oldest;
    while (from_end != kNone && nodes_[from_end].place > place) {
        if (nodes_[from_front].place > place) return nodes_[from_front].older;
        from_end = nodes_[from_end].older;
        from_front = nodes_[from_front].newer;
    }
    return from_end;
}

template <class Atomics> bool PriorityQueueOver<Atomics>::put_locked(Runnable* item, Place place) {
    if (free_ == kNone) return false;
    const std::uint32_t node = free_;
    free_ = nodes_[node].older;
    ++count_;
    Level& level = levels_[level_for_locked(item->priority)];
    const std::uint32_t before = last_before_locked(level, place);
    const std::uint32_t after = before == kNone ? level.oldest : nodes_[before].newer;
    nodes_[node] = {item, place, before, after};
    (before == kNone ? level.oldest : nodes_[before].newer) = node;
    (after == kNone ? level.newest : nodes_[after].older) = node;
    publish_first_locked();
    return true;
}

template <class Atomics>
Runnable* PriorityQueueOver<Atomics>::unlink_locked(std::uint32_t level_index, std::uint32_t node) {
    Level& level = levels_[level_index];
    const Node gone = nodes_[node];
    const bool was_first = gone.older == kNone && level_index + 1 == level_count_;
    Runnable* const item = gone.item;
    set_place(*item, gone.place);
    (gone.older == kNone ? level.oldest : nodes_[gone.older].newer) = gone.newer;
    (gone.newer == kNone ? level.newest : nodes_[gone.newer].older) = gone.older;
    nodes_[node].older = free_;
    free_ = node;
    --count_;
    const bool is_empty = level.oldest == kNone;
    const bool shows_place = !is_empty && nodes_[level.oldest].place == gone.place; // the new first task's place
    if (is_empty) {
        --level_count_;
        std::memmove(&levels_[level_index], &levels_[level_index + 1], (level_count_ - level_index) * sizeof(Level));
    }
    if (was_first && !shows_place) publish_first_locked();
    return item;
}

template <class Atomics> void PriorityQueueOver<Atomics>::forget_other_threads() {
    if (lock_.try_lock()) return lock_.unlock();
    ::new (&lock_) Lock;
    const sync::MutexGuard guard(lock_);
    clear_locked();
}

using PriorityQueue = PriorityQueueOver<base::RealAtomics>;

} // namespace teff::sched
