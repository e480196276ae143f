// SPDX-License-Identifier: Apache-2.0
//
// TaskQueue: the ready tasks that one context has created (team/context.h), with the newest task at
// one end and the oldest at the other.
//
// Each context has a separate queue, so that a task's position in the queue proves descent. When a
// task begins, the queue's position at that moment is the task's mark. Tasks above the mark were
// queued by this task or by tasks that run on top of it. Tasks on top of others descend from them,
// and no other context puts tasks into this queue. So all tasks above the mark descend from the
// task.
//
// A queue belongs to its lane (lane.h). A context takes a queue when it creates its first task.
// Queues are never freed but reused, so a thief that looks late still finds a valid queue.
#pragma once

#include <algorithm>
#include <cstddef>

#include "sched/deque.h"
#include "sched/runnable.h"

namespace teff::sched {

template <class Atomics> struct TaskQueueOver {
    static constexpr std::uint32_t kFirstCapacity = 32;
    using Deque = DequeOver<Atomics, Runnable>;

    Deque deque; // deque.h says which thread may call which function

    // Makes the deque larger. Returns false if its capacity has reached `limit` (a power of two),
    // or if there is no memory. Called by the owner, when the deque is full. The first few tasks
    // need no allocation, because a thread's first malloc costs an arena.
    [[nodiscard]] TEFF_COLD bool try_make_room(std::uint32_t limit) {
        if (deque.capacity() >= limit) return false;
        if (deque.capacity() != 0) return deque.try_grow(0);
        deque.start_in(first_ring, std::min(limit, kFirstCapacity));
        return true;
    }

    // These members require the lane's lock. `next` and `previous` are the queue's neighbours in
    // the list of queues that were left with tasks in them; in a free queue, `next` is the next
    // free queue. Thieves take empty queues off the list. The owner reads is_listed without the
    // lock (relaxed), to find out whether the queue is still listed.
    TaskQueueOver* next = nullptr;
    TaskQueueOver* previous = nullptr;
    typename Atomics::template atomic<bool> is_listed{false};
    bool is_owned = false; // true: a context uses the queue; false: the queue becomes free once it is empty

    alignas(base::kCacheLine) std::byte first_ring[Deque::bytes_for(kFirstCapacity)]{};
};

} // namespace teff::sched
