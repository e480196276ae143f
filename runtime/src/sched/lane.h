// SPDX-License-Identifier: Apache-2.0
//
// Lane: one member's place in the scheduler of its team, with the queues of its contexts.
//
// It holds the queues of the default policy (work_stealing.h); another policy keeps its own queues
// elsewhere and leaves these empty. It belongs to the Member that it is part of, and lives as long.
// The fields say who may touch them; the owner is the member's thread.
//
//     current ──leave(), not empty──> listed ──return_to()──> current
//        │  ^                           │
//        │  └──leave(), empty, return_to()        (in no list, its context has it)
//        └──abandon()──> listed, without a context ──found empty──> free ──first task──> current
//
// Thieves look at the current queue, then at the listed ones: the latest that was left first, but
// for those that were left in a barred context (task/constraint.h), which come last.
//
// [lane-1] the leader stores `parker` (release) between regions, whoever wakes the member loads it.
// [lane-2] leave() lists the old queue before it stores the new `current` (release), and
//          return_to() stores `current` before it takes the queue off the list; both count
//          `switches` first and last. A thief whose thorough look sees the same even number before
//          and after it (acquire) has missed no queue.
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

// What had been put into the current queue at some moment.
using Mark = std::int64_t;

// How the context was left: barred, so its tasks may not start on this thread for now, or not.
enum class Left : bool { kOpen, kBarred };

template <class Atomics> struct LaneOver {
    using Queue = TaskQueueOver<Atomics>;
    template <class T> using atomic = typename Atomics::template atomic<T>;

    // ---- By the owner.

    // The queue of the context that the member's thread is on.
    Queue& queue() { return *current.load(std::memory_order_relaxed); }

    // Is there a task in it that came since the member's current task started?
    bool has_tasks_since() {
        const auto& deque = queue().deque;
        return deque.bottom() > since && !deque.looks_empty();
    }

    // The context has no queue yet: its first task comes. False: no memory.
    [[nodiscard]] TEFF_COLD bool take_queue() {
        Queue* const taken = take_free();
        if (taken == nullptr) return false;
        taken->is_owned = true;
        since = 0; // it is empty, so whatever comes lies above each of the context's marks
        current.store(taken, std::memory_order_release); // [lane-2]
        return true;
    }
    bool has_queue() const { return current.load(std::memory_order_relaxed) != &none; }

    // The thread leaves the context for another one, which has no queue yet. Returns what
    // return_to() is to be given.
    Queue* leave(Left how) {
        Queue& left = queue();
        if (&left == &none) return nullptr;
        begin_switch();
        if (!left.deque.looks_empty()) list(left, how);
        current.store(&none, std::memory_order_release); // [lane-2]
        end_switch();
        return &left;
    }
    // It is on that context again.
    void return_to(Queue* left) {
        if (left == nullptr) return current.store(&none, std::memory_order_release); // [lane-2]
        begin_switch();
        current.store(left, std::memory_order_release); // [lane-2]
        if (left->is_listed.load(std::memory_order_relaxed)) unlist(*left);
        end_switch();
    }
    // After that: `mark` is what `since` was when it left. Other contexts may have taken the newest
    // tasks meanwhile, from below the mark.
    void restore(Mark mark) { since = std::min(mark, queue().deque.bottom()); }
    // The context ends. What is still queued stays for whoever takes it.
    void abandon() {
        Queue* const ends = leave(Left::kOpen);
        if (ends == nullptr) return;
        const sync::MutexGuard guard(lock);
        ends->is_owned = false;
        if (!ends->is_listed.load(std::memory_order_relaxed)) free_locked(*ends);
    }

    // ---- By any thread.

    // The first task of the listed queues that `take(deque)` gives; it passes so many that give
    // none.
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

    // In a forked child, of which another thread held the lock, maybe: what is listed is given up.
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

    // Nobody uses it any more. For tests and models: a team keeps its lanes for ever.
    void free_memory() {
        first.deque.free_memory();
        std::free(raised.load(std::memory_order_relaxed));
        while (Made* const last = made) {
            last->queue.deque.free_memory();
            made = last->before;
            std::free(last);
        }
    }

    // In a forked child: all that is queued, by whatever context.
    template <class Function> void for_each_queue(Function&& function) {
        function(first);
        for (Made* at = made; at != nullptr; at = at->before)
            function(at->queue);
    }

    Queue none;                    // of a context without tasks: no room, never anything in it
    Queue first;                   // of the member's first context that makes tasks; more are made when they are needed
    atomic<Queue*> current{&none}; // owner writes [lane-2]
    Mark since = 0;                // owner: as it was when the member's current task started
    std::uint32_t limit = 0;       // owner: a queue grows to so many tasks before its owner runs new ones at once
    atomic<std::uint32_t> switches{0}; // owner writes: odd in the middle of one [lane-2]
    // Its tasks with a priority; the owner makes it with the first one [raised-1].
    atomic<PriorityQueueOver<Atomics>*> raised{nullptr};
    atomic<sync::ParkerOver<Atomics>*> parker{nullptr}; // of the worker that is this member now [lane-1]
    unsigned number = 0;                                // of the member in its team
    std::uint32_t victim_seed = 1;                      // owner: decides where the next search for a victim starts
    unsigned futile_looks = 0;   // owner: looks that left tasks of other nodes to their members (locality.h)
    bool has_left_tasks = false; // owner: so has a thorough look, and it has found nothing since (locality.h)

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
    Made* made = nullptr; // owner: all but `first`, for the end
};

using Lane = LaneOver<base::RealAtomics>;

} // namespace teff::sched
