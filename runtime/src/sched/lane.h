// SPDX-License-Identifier: Apache-2.0
//
// Lane: the part of a team's scheduler that belongs to one member. A lane contains the queues of
// the member's contexts.
//
// A lane holds the queues of the default policy (work_stealing.h). A policy that replaces the
// default has its own queues, and leaves the lane's queues empty. A lane is part of a Member, and
// has the same lifetime. The comment at each field says which threads may access the field; "owner"
// means the member's thread.
//
//     current ──leave(), not empty──> listed ──return_to()──> current
//        │  ^                           │
//        │  └──leave(), empty, return_to()        (in no list, its context has it)
//        └──abandon()──> listed, without a context ──found empty──> free ──first task──> current
//
// A thief looks at the current queue, then at the listed queues, beginning with the queue that was
// left last. Queues that were left in a barred context (task/constraint.h) are at the end of the
// list.
//
// [lane-1] The leader stores `parker` (release) between regions; a thread that wakes the member
//          loads `parker` (acquire).
// [lane-2] leave() lists the old queue before it stores the new `current` (release). return_to()
//          stores `current` before it takes the queue off the list. Both increment `switches` as
//          their first and as their last step. A thief that reads the same even number of
//          `switches` before and after its thorough look (acquire) has missed no queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "sched/priority_queue.h"
#include "sched/runnable.h"
#include "sched/task_queue.h"
#include "sync/mutex.h"
#include "sync/parker.h"

namespace teff::sched {

// The bottom of the current queue at some moment. Tasks that are pushed later lie at this position
// or above.
using Mark = std::int64_t;

// How a context was left. kBarred: its tasks must not start on this thread for the time being.
enum class Left : bool { kOpen, kBarred };

template <class Atomics> struct LaneOver {
    using Queue = TaskQueueOver<Atomics>;
    template <class T> using atomic = typename Atomics::template atomic<T>;

    // ---- Called by the owner only.

    // Returns the queue of the context that the member's thread is on.
    Queue& queue() { return *current.load(std::memory_order_relaxed); }

    // Returns true if the current queue holds a task that was pushed after the member's current
    // task started.
    bool has_tasks_since() {
        const auto& deque = queue().deque;
        return deque.bottom() > since && !deque.looks_empty();
    }

    // Gives the current context a queue, for its first task. Requires that the context has none.
    // Returns false if there is no memory.
    [[nodiscard]] TEFF_COLD bool take_queue() {
        Queue* const taken = take_free();
        if (taken == nullptr) return false;
        taken->is_owned = true;
        since = 0; // the queue is empty: all tasks pushed later lie above the context's marks
        current.store(taken, std::memory_order_release); // [lane-2]
        return true;
    }
    bool has_queue() const { return current.load(std::memory_order_relaxed) != &none; }

    // Called when the thread leaves the current context for another context, which has no queue
    // yet. Returns the current context's queue, or null if it has none: the argument for
    // return_to().
    Queue* leave(Left how) {
        Queue& left = queue();
        if (&left == &none) return nullptr;
        begin_switch();
        if (!left.deque.looks_empty()) list(left, how);
        current.store(&none, std::memory_order_release); // [lane-2]
        end_switch();
        return &left;
    }
    // Called when the thread is back on the context whose leave() returned `left`.
    void return_to(Queue* left) {
        if (left == nullptr) return current.store(&none, std::memory_order_release); // [lane-2]
        begin_switch();
        current.store(left, std::memory_order_release); // [lane-2]
        if (left->is_listed.load(std::memory_order_relaxed)) unlist(*left);
        end_switch();
    }
    // Called after return_to(). `mark` is the value of `since` when the thread left the context.
    // Lowers the mark to the queue's bottom if other contexts took tasks from below the mark
    // meanwhile (they take the newest tasks first).
    void restore(Mark mark) { since = std::min(mark, queue().deque.bottom()); }
    // Called when the current context ends. Tasks that are still queued stay in the queue, where
    // any member may take them.
    void abandon() {
        if (Queue* const ends = leave(Left::kOpen)) give_up(*ends);
    }

    // Called with the result of leave(), if the context does not need the queue any more: the
    // context ends, or the queue is empty and the context may go to another member.
    void give_up(Queue& left) {
        const sync::MutexGuard guard(lock);
        left.is_owned = false;
        if (!left.is_listed.load(std::memory_order_relaxed)) free_locked(left);
    }

    // ---- May be called by any thread.

    // Calls `take(deque)` for the listed queues in their order until `take` returns a task, and
    // returns that task. Returns null at the end of the list, or when `take` has returned null for
    // `most_refusals` queues that are not empty. Removes queues that look empty from the list.
    template <class Take>
    TEFF_COLD Runnable* take_from_listed(Take&& take, unsigned most_refusals = kMostRefusals) TEFF_EXCLUDES(lock) {
        const sync::MutexGuard guard(lock);
        unsigned refusals = 0;
        for (Queue* at = listed_first; at != nullptr && refusals < most_refusals;) {
            Queue& queue = *at;
            at = queue.next;
            Runnable* const item = take(queue.deque);
            if (queue.deque.looks_empty()) unlist_locked(queue);
            else if (item == nullptr) ++refusals;
            if (item != nullptr) return item;
        }
        return nullptr;
    }
    bool looks_empty() const {
        return current.load(std::memory_order_acquire)->deque.looks_empty() && !has_listed(); // [lane-2]
    }
    bool has_listed() const { return any_listed.load(std::memory_order_acquire); } // [lane-2]

    // Called in a forked child. If another thread held the lock at the fork, makes the lock new and
    // empties the lists of listed and of free queues.
    void forget_lock() {
        if (lock.try_lock()) return lock.unlock();
        ::new (&lock) Lock;
        const sync::MutexGuard guard(lock);
        listed_first = listed_last = free = nullptr;
        any_listed.store(false, std::memory_order_relaxed);
    }

    static constexpr unsigned kMostRefusals = 4;

    constexpr LaneOver() = default;
    LaneOver(const LaneOver&) = delete;
    LaneOver& operator=(const LaneOver&) = delete;

    // Frees the memory of all queues. Requires that the lane is no longer in use. For tests and
    // models only: a team never frees its lanes.
    void free_memory() {
        first.deque.free_memory();
        PriorityQueueOver<Atomics>::destroy(raised.load(std::memory_order_relaxed));
        while (Made* const last = made) {
            last->queue.deque.free_memory();
            made = last->before;
            std::free(last);
        }
    }

    // Calls `function(queue)` for each queue of this lane, whichever context uses the queue. Called
    // in a forked child.
    template <class Function> void for_each_queue(Function&& function) {
        function(first);
        for (Made* at = made; at != nullptr; at = at->before)
            function(at->queue);
    }

    Queue none;                        // `current` of a context that has created no task; without
                                       // capacity, always empty
    Queue first;                       // for the first context that creates tasks; take_free() makes further queues
    atomic<Queue*> current{&none};     // owner writes [lane-2]
    Mark since = 0;                    // owner: the current queue's mark when the member's current task started
    std::uint32_t limit = 0;           // owner: the most tasks in a queue; if it is reached, the
                                       // owner runs new tasks at once
    atomic<std::uint32_t> switches{0}; // owner writes: odd during a switch of contexts [lane-2]
    // The lane's tasks with a priority. The owner makes this queue when the first such task comes
    // [raised-1].
    atomic<PriorityQueueOver<Atomics>*> raised{nullptr};
    atomic<sync::ParkerOver<Atomics>*> parker{nullptr}; // the parker of the worker that is this
                                                        // member at present [lane-1]
    unsigned number = 0;                                // the member's number in its team
    std::uint32_t victim_seed = 1;                      // owner: decides where the next search for a victim starts
    unsigned futile_looks = 0;                          // owner: looks into other nodes' queues since the last one that
                                                        // ran out of patience (locality.h)
    bool has_left_tasks = false;                        // owner: it left tasks to another member,
                                                        // and has found no task since (locality.h)
    Place place = kNoPlace; // owner: the place of the last task with a priority that began on the current context

  private:
    using Lock = sync::MutexOver<Atomics, TEFF_STAT_QUEUE_CONTENDED>;
    struct Made {
        Queue queue;
        Made* before;
    };

    void begin_switch() {
        switches.store(switches.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    } // [lane-2]
    void end_switch() {
        switches.store(switches.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    } // [lane-2]

    void list(Queue& queue, Left how) TEFF_EXCLUDES(lock) {
        const sync::MutexGuard guard(lock);
        queue.is_listed.store(true, std::memory_order_relaxed);
        queue.previous = how == Left::kBarred ? listed_last : nullptr;
        queue.next = how == Left::kBarred ? nullptr : listed_first;
        (queue.previous == nullptr ? listed_first : queue.previous->next) = &queue;
        (queue.next == nullptr ? listed_last : queue.next->previous) = &queue;
        any_listed.store(true, std::memory_order_release); // [lane-2]
    }
    void unlist(Queue& queue) TEFF_EXCLUDES(lock) {
        const sync::MutexGuard guard(lock);
        if (queue.is_listed.load(std::memory_order_relaxed)) unlist_locked(queue);
    }
    void unlist_locked(Queue& queue) TEFF_REQUIRES(lock) {
        (queue.previous == nullptr ? listed_first : queue.previous->next) = queue.next;
        (queue.next == nullptr ? listed_last : queue.next->previous) = queue.previous;
        queue.is_listed.store(false, std::memory_order_relaxed);
        if (listed_first == nullptr) any_listed.store(false, std::memory_order_release); // [lane-2]
        if (!queue.is_owned) free_locked(queue);
    }
    void free_locked(Queue& queue) TEFF_REQUIRES(lock) {
        queue.next = free;
        free = &queue;
    }

    Queue* take_free() TEFF_EXCLUDES(lock) {
        {
            const sync::MutexGuard guard(lock);
            if (Queue* const taken = free) {
                free = taken->next;
                return taken;
            }
        }
        void* const memory = std::aligned_alloc(alignof(Made), sizeof(Made));
        if (memory == nullptr) return nullptr;
        made = ::new (memory) Made{{}, made};
        return &made->queue;
    }

    Lock lock;
    atomic<bool> any_listed{false}; // written under the lock
    Queue* listed_first TEFF_GUARDED_BY(lock) = nullptr;
    Queue* listed_last TEFF_GUARDED_BY(lock) = nullptr;
    Queue* free TEFF_GUARDED_BY(lock) = &first;
    Made* made = nullptr; // owner: all queues except `first`, for free_memory()
};

using Lane = LaneOver<base::RealAtomics>;

} // namespace teff::sched
