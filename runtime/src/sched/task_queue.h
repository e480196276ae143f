// SPDX-License-Identifier: Apache-2.0
//
// TaskQueue: the ready tasks that one context has made (a context: team/context.h), the newest at
// one end, the oldest at the other.
//
// What lies above the position at which a task began (a mark) was put there on top of that task, so
// it descends from it: tasks that run on top of others descend from them, and no other context puts
// anything into this queue. That is why each context has one of its own.
//
// A queue belongs to its lane (lane.h) and is never freed but used again, so a thief's late look
// finds a valid one. A context takes one with its first task.
#pragma once

#include <algorithm>
#include <cstddef>

#include "sched/deque.h"
#include "sched/runnable.h"

namespace teff::sched {

template <class Atomics> struct TaskQueueOver {
    static constexpr std::uint32_t kFirstCapacity = 32;
    using Deque = DequeOver<Atomics, Runnable>;

    Deque deque; // see there who may touch it

    // Owner, as the deque is full: makes it larger, up to `limit`, a power of two. The first
    // few need no memory: a thread's first malloc costs it an arena.
    [[nodiscard]] TEFF_COLD bool try_make_room(std::uint32_t limit) {
        if (deque.capacity() >= limit) return false;
        if (deque.capacity() != 0) return deque.try_grow(0);
        deque.start_in(first_ring, std::min(limit, kFirstCapacity));
        return true;
    }

    // Under the lane's lock: its place among the queues that were left with tasks in them, or
    // `next` among the free ones. Thieves take empty ones off the list; the owner reads without
    // the lock whether there is anything to undo: relaxed.
    TaskQueueOver* next = nullptr;
    TaskQueueOver* previous = nullptr;
    typename Atomics::template atomic<bool> is_listed{false};
    bool is_owned = false; // a context has it; else it is free once it is empty

    alignas(base::kCacheLine) std::byte first_ring[Deque::bytes_for(kFirstCapacity)]{};
};

} // namespace teff::sched
