// SPDX-License-Identifier: Apache-2.0
//
// The default policy: a deque for each context of a member. The owner takes the newest task,
// thieves take the oldest task of a victim chosen at random, as in Blumofe and Leiserson (JACM
// 1999).
//
// A waiting task finds its descendants above its mark in its context's own queue (task_queue.h),
// where the position proves descent. For tasks in other queues, the policy asks the waiter whether
// they are descendants.
//
// Tasks with a priority lie in their lane's PriorityQueue. A waiter that may run any task takes the
// task of the highest priority of all lanes first. A waiter that may run its descendants only takes
// the newest descendant in its own lane's PriorityQueue. Thieves take tasks from these queues as
// they take tasks from deques. `raised_` counts the tasks with a priority over all lanes, so a team
// without priorities pays one load of a cache line that no thread writes.
//
// Tasks without a lane go to the SharedQueue: tasks made ready by a thread that is not a member, or
// by an event. A thief looks there first, because these tasks have waited longest, unless there are
// tasks with a priority.
//
// A brief look costs at most a constant time for each member, even if many queued tasks may not be
// run. A thorough look, such as the last look before a sleep, goes through all queues that the
// member's own contexts have left.
//
// This policy is part of every Scheduler; the comments of Scheduler describe each operation. The
// policy's queues are in the lanes. A policy that chooses victims in another way has its own loop
// over steal_of().
#pragma once

#include "base/contention.h"
#include "sched/policy.h"
#include "sched/shared_queue.h"

namespace teff::sched {

template <class Atomics> class WorkStealingOver {
  public:
    using Lane = LaneOver<Atomics>;

    // A waiter without a place searches for its own tasks among this many of the newest tasks of
    // each priority.
    static constexpr std::uint32_t kBriefOwnLook = 8;

    // Sets the lanes of the team. `lanes` belongs to the team, and outlives this object.
    void attach(Lane* const* lanes) { lanes_ = lanes; }
    void resize(unsigned count) { count_.store(count, std::memory_order_relaxed); }

    // HOT fib. enter is called when a task starts on the lane's member, leave when the task ends.
    // enter returns the argument for leave. Both are called by the owner of `lane` only.
    static Mark enter(Lane& lane) {
        const Mark outer = lane.since;
        lane.since = lane.queue().deque.bottom();
        return outer;
    }
    // The outer mark must not end up above the inner mark: while the context was left, tasks may
    // have been taken from below both marks, and restore() (lane.h) lowers the inner mark only.
    static void leave(Lane& lane, const Mark& outer) { lane.since = std::min(outer, lane.since); }

    // HOT producer. Pushes the task to the current queue. Returns false if the task has a priority
    // or the queue is full. Called by the owner of `lane` only.
    [[nodiscard]] static bool try_push(Lane& lane, Runnable* item) {
        return TEFF_LIKELY(item->priority == 0) && TEFF_LIKELY(lane.queue().deque.push(item));
    }
    // Called when try_push has returned false. Makes the context's queue if it has none, or lets
    // the queue grow to at most `limit` tasks, and pushes the task. Returns false if the task has a
    // priority, the limit is reached, or there is no memory.
    [[nodiscard]] TEFF_COLD static bool try_push_slow(Lane& lane, Runnable* item, std::uint32_t limit) {
        if (item->priority != 0 || limit == 0) return false;
        if (!lane.has_queue() && !lane.take_queue()) return false;
        auto& queue = lane.queue();
        if (queue.deque.push(item)) return true;
        return queue.try_make_room(limit) && queue.deque.push(item);
    }
    // Puts a task with a priority into the lane's PriorityQueue. Returns false if that is full or
    // there is no memory for it. Called by the owner of `lane` only.
    [[nodiscard]] TEFF_COLD bool try_raise(Lane& lane, Runnable* item) {
        return raise(lane, item, [](auto& queue, Runnable* task, Place place) { return queue.put(task, place); });
    }
    // As try_raise, but takes more memory for a full queue.
    [[nodiscard]] TEFF_COLD bool try_raise_past_limit(Lane& lane, Runnable* item) {
        return raise(lane, item,
                     [](auto& queue, Runnable* task, Place place) { return queue.put_growing(task, place); });
    }

    void put_anywhere(Runnable* item) {
        if (item->priority > 0) raised_.fetch_add(1, std::memory_order_relaxed);
        shared_.put(item);
    }

    // HOT taskwait. Takes a task with a priority if there is one that goes first, otherwise the
    // newest task that the current context has made ready. Called by the owner of `lane` only.
    template <class Allow> [[nodiscard]] Runnable* take_own(Lane& lane, Allow&& allow) {
        if (TEFF_UNLIKELY(raised() > 0))
            if (Runnable* item = take_raised(lane, allow)) return item;
        return lane.queue().deque.pop(allow.constrained() ? lane.since : INT64_MIN);
    }

    // Takes a task that `allow` admits, whichever thread has made it ready; the task with the
    // highest priority first. For a member that will run the task on a stack of its own. Called by
    // the owner of `lane` only.
    template <class Allow> [[nodiscard]] TEFF_COLD Runnable* take_unrelated(Lane& lane, Allow&& allow, Look look) {
        if (Runnable* item = take_unrelated_unstolen(lane, allow, look)) return item;
        return steal(lane, allow, look);
    }
    // The first part of take_unrelated: tasks with a priority, and those in the member's own
    // queues.
    template <class Allow>
    [[nodiscard]] TEFF_COLD Runnable* take_unrelated_unstolen(Lane& lane, Allow&& allow, Look look) {
        if (Runnable* item = take_unrelated_raised(allow, look)) return item;
        if (Runnable* item = lane.queue().deque.pop_if(allow)) return item;
        if (lane.has_queue())
            if (Runnable* item = lane.queue().deque.steal_if(allow)) return item;
        return take_left(lane, allow, look);
    }
    // Takes the newest task of a queue that another context of the member has left, if `allow`
    // admits the task. A thorough look examines all of these queues, and both ends of each, because
    // perhaps no other member may run these tasks. Called by the owner of `lane` only.
    template <class Allow> [[nodiscard]] static Runnable* take_left(Lane& lane, Allow&& allow, Look look) {
        if (TEFF_LIKELY(!lane.has_listed())) return nullptr;
        if (look == Look::kBrief) return lane.take_from_listed([&](auto& deque) { return deque.pop_if(allow); });
        const auto take_any = [&](auto& deque) {
            Runnable* const newest = deque.pop_if(allow);
            return newest != nullptr ? newest : deque.steal_if(allow);
        };
        return lane.take_from_listed(take_any, ~0u);
    }

    // As take_unrelated, but takes tasks with a priority only. No task can vanish while `allow`
    // looks at it.
    template <class Allow> [[nodiscard]] Runnable* take_unrelated_raised(Allow&& allow, Look look) {
        if (raised() == 0) return nullptr;
        return look == Look::kBrief ? take_highest(allow) : take_any_raised(allow);
    }

    // Moves the tasks of the member's own queues to the shared queue, where any member finds any
    // task, however many lie around it. Returns true if there was one. Called by the owner of
    // `lane` only.
    TEFF_COLD bool share_all(Lane& lane) {
        bool any = false;
        const auto share = [&](auto& deque) -> Runnable* {
            while (Runnable* const item = deque.pop(INT64_MIN)) {
                shared_.put(item);
                any = true;
            }
            return nullptr;
        };
        if (lane.has_queue()) share(lane.queue().deque);
        lane.since = std::min(lane.since, lane.queue().deque.bottom());
        if (lane.has_listed()) (void)lane.take_from_listed(share, ~0u);
        return any;
    }

    // Returns an upper bound of the number of queued tasks with a priority.
    [[nodiscard]] std::int64_t raised() const { return raised_.load(std::memory_order_relaxed); }

    // Returns a place behind all places given so far.
    [[nodiscard]] Place new_place() { return last_place_.fetch_add(1, std::memory_order_relaxed) + 1; }

    // Count the tasks with a priority that any policy has queued: Scheduler::raises.
    void count_raise() { raises_.fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t raises() const { return raises_.load(std::memory_order_relaxed); }

    // Returns the highest priority of a queued task, or 0 if no queued task has a priority.
    [[nodiscard]] std::int32_t highest() const {
        if (TEFF_LIKELY(raised() == 0)) return 0;
        return find_highest().priority;
    }

    // Takes a task from the shared queue or from another member: from a random member first, and
    // then from the others in the order of their numbers. Called by the owner of `thief` only.
    template <class Allow> [[nodiscard]] Runnable* steal(Lane& thief, Allow&& allow, Look look) {
        const bool raised = TEFF_UNLIKELY(this->raised() > 0);
        const unsigned count = members();
        if (!raised)
            if (Runnable* item = take_shared(allow, Look::kBrief)) return item;
        unsigned victim = random_member(thief, count);
        for (unsigned i = 0; i < count; ++i, ++victim) {
            if (victim >= count) victim = 0;
            if (victim == thief.number) continue;
            if (Runnable* item = steal_of(victim, allow, look, raised)) return item;
        }
        return take_shared(allow, look);
    }
    // Takes a task of the member `victim`; if `raised`, tasks with a priority come first. Called by
    // another member.
    template <class Allow> [[nodiscard]] Runnable* steal_of(unsigned victim, Allow&& allow, Look look, bool raised) {
        if (raised)
            if (Runnable* item = take_highest_of(*lanes_[victim], allow)) return item;
        return steal_from(*lanes_[victim], allow, look);
    }
    // Takes a task from the shared queue. May be called by any member.
    template <class Allow> [[nodiscard]] Runnable* take_shared(Allow&& allow, Look look) {
        return count_out(shared_.take_if(allow, look == Look::kBrief ? kBriefLook : ~0u));
    }
    // Returns the number of members whose queues a thief looks at.
    [[nodiscard]] unsigned members() const { return count_.load(std::memory_order_relaxed); }

    [[nodiscard]] bool looks_drained() const {
        const unsigned count = count_.load(std::memory_order_relaxed);
        for (unsigned i = 0; i < count; ++i)
            if (!lanes_[i]->looks_empty() || highest_of(*lanes_[i]) > 0) return false;
        return shared_.looks_empty();
    }

    // Moves all tasks that are queued in the first `lanes` lanes, except `own`, to the shared
    // queue. Called in a forked child.
    void forget_other_threads(Lane& own, unsigned lanes);

  private:
    static constexpr unsigned kBriefLook = 8;

    static unsigned random_member(Lane& thief, unsigned count) {
        thief.victim_seed =
            thief.victim_seed * 1664525u + 1013904223u; // a linear congruential generator is random enough here
        return static_cast<unsigned>((std::uint64_t{thief.victim_seed} * count) >> 32);
    }
    static std::int32_t highest_of(const Lane& lane) {
        const auto* queue = lane.raised.load(std::memory_order_acquire); // [raised-1]
        return queue == nullptr ? 0 : queue->highest();
    }

    template <class Put> bool raise(Lane& lane, Runnable* item, Put&& put);

    // Where the task of the highest priority is queued: the lane, or null for the shared queue.
    struct Highest {
        Lane* lane;
        std::int32_t priority; // 0: no task has a priority
    };
    // Of several lanes with a task of the highest priority, finds the one whose task has the lowest
    // place. The shared queue goes before the lanes.
    [[nodiscard]] TEFF_COLD Highest find_highest() const;

    // Takes the oldest task of the victim's current queue, otherwise of a queue that the victim has
    // left. A thorough look misses no queue, even if the victim changes its context meanwhile
    // ([lane-2]), because the member may sleep after it.
    template <class Allow> static Runnable* steal_from(Lane& victim, Allow&& allow, Look look) {
        for (;;) {
            const std::uint32_t before = victim.switches.load(std::memory_order_acquire); // [lane-2]
            auto& deque = victim.current.load(std::memory_order_acquire)->deque;          // [lane-2]
            if (Runnable* item = steal_from_deque(deque, allow, look)) return item;
            if (TEFF_UNLIKELY(victim.has_listed())) {
                const auto take = [&](auto& left) { return steal_from_deque(left, allow, look); };
                if (Runnable* item = victim.take_from_listed(take)) return item;
            }
            if (look == Look::kBrief) return nullptr;
            const std::uint32_t after = victim.switches.load(std::memory_order_acquire); // [lane-2]
            if (before == after && before % 2 == 0) return nullptr;
            Atomics::cpu_relax();
        }
    }
    // Takes the oldest admitted task of the deque. If another thread takes that task first, a brief
    // look gives up this deque. A thorough look tries again, because no thread would wake the
    // member for the tasks that the other thread leaves.
    template <class Deque, class Allow> static Runnable* steal_from_deque(Deque& deque, Allow&& allow, Look look) {
        for (;;) {
            bool lost = false;
            Runnable* const item = deque.steal_if(allow, &lost);
            if (TEFF_LIKELY(!lost)) return item;
            base::count_here(TEFF_STAT_LOST_STEALS);
            if (look == Look::kBrief) return item;
        }
    }

    template <class Allow> TEFF_COLD Runnable* take_raised(Lane& lane, Allow&& allow) {
        return allow.constrained() ? take_own_raised(lane, allow) : take_highest(allow);
    }
    // Takes the newest admitted task of the lane's PriorityQueue. Descendants of a waiter with a
    // priority have the waiter's place; descendants of other waiters are among the newest tasks. A
    // thorough look finds tasks elsewhere.
    template <class Allow> Runnable* take_own_raised(Lane& lane, Allow&& allow) {
        auto* const queue = lane.raised.load(std::memory_order_relaxed);
        if (queue == nullptr) return nullptr;
        Runnable* const item = lane.place != kNoPlace ? queue->take_at_if(lane.place, allow) : nullptr;
        return count_out(item != nullptr ? item : queue->take_newest_if(allow, kBriefOwnLook));
    }
    // Takes the task of the highest priority if `allow` admits it. If other threads have taken this
    // lane's last task of that priority meanwhile, looks again: the lane's next task may have a
    // lower priority than tasks of other lanes.
    template <class Allow> Runnable* take_highest(Allow&& allow) {
        for (;;) {
            const Highest highest = find_highest();
            if (highest.lane == nullptr) return highest.priority > 0 ? take_shared(allow, Look::kBrief) : nullptr;
            bool refused = false;
            const auto is_high_and_allowed = [&](const Runnable* item) {
                if (item->priority < highest.priority) return false;
                refused = !allow(item);
                return !refused;
            };
            if (Runnable* const item = take_highest_of(*highest.lane, is_high_and_allowed)) return item;
            if (refused) return nullptr;
            Atomics::cpu_relax();
        }
    }
    template <class Allow> Runnable* take_highest_of(Lane& lane, Allow&& allow) {
        auto* const queue = lane.raised.load(std::memory_order_acquire); // [raised-1]
        return queue == nullptr ? nullptr : count_out(queue->take_highest_if(allow));
    }
    // Takes any admitted task with a priority, also from behind tasks that `allow` does not admit.
    template <class Allow> Runnable* take_any_raised(Allow&& allow) {
        const unsigned count = count_.load(std::memory_order_relaxed);
        for (unsigned i = 0; i < count; ++i) {
            auto* const queue = lanes_[i]->raised.load(std::memory_order_acquire); // [raised-1]
            if (queue == nullptr) continue;
            if (Runnable* item = queue->take_newest_if(allow)) return count_out(item);
        }
        return shared_.highest() > 0 ? take_shared(allow, Look::kThorough) : nullptr;
    }
    Runnable* count_out(Runnable* item) {
        if (item != nullptr && item->priority > 0) raised_.fetch_sub(1, std::memory_order_relaxed);
        return item;
    }

    Lane* const* lanes_ = nullptr;
    // The number of lanes that take part. Relaxed: a worker that is about to leave the team may
    // still read this while the next region is set up, but it finds all queues empty.
    typename Atomics::template atomic<unsigned> count_{0};
    alignas(base::kCacheLine) SharedQueueOver<Atomics> shared_;
    // An upper bound of the number of queued tasks with a priority. It is incremented before a task
    // is put into a queue, so a thread that reads 0 need not look.
    alignas(base::kCacheLine) typename Atomics::template atomic<std::int64_t> raised_{0};
    typename Atomics::template atomic<Place> last_place_{kNoPlace}; // the last place that was given to a task
    typename Atomics::template atomic<std::uint64_t> raises_{0};
};

template <class Atomics>
template <class Put>
bool WorkStealingOver<Atomics>::raise(Lane& lane, Runnable* item, Put&& put) {
    using Queue = PriorityQueueOver<Atomics>;
    Queue* queue = lane.raised.load(std::memory_order_relaxed);
    if (queue == nullptr) {
        queue = Queue::try_make(lane.limit);
        if (queue == nullptr) return false;
        lane.raised.store(queue, std::memory_order_release); // [raised-1]
    }
    raised_.fetch_add(1, std::memory_order_relaxed);
    Place place = place_of(*item);
    if (place == kNoPlace) place = new_place();
    if (put(*queue, item, place)) return true;
    raised_.fetch_sub(1, std::memory_order_relaxed);
    return false;
}

template <class Atomics> typename WorkStealingOver<Atomics>::Highest WorkStealingOver<Atomics>::find_highest() const {
    Highest found{.lane = nullptr, .priority = shared_.highest()};
    Place oldest = kNoPlace; // tasks in the shared queue go first
    const unsigned count = count_.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < count; ++i) {
        const auto* const queue = lanes_[i]->raised.load(std::memory_order_acquire); // [raised-1]
        if (queue == nullptr) continue;
        const std::int32_t here = queue->highest();
        if (here < found.priority || here <= 0) continue;
        const Place place = queue->oldest();
        if (here == found.priority && place >= oldest) continue;
        found = {.lane = lanes_[i], .priority = here};
        oldest = place;
    }
    return found;
}

template <class Atomics> void WorkStealingOver<Atomics>::forget_other_threads(Lane& own, unsigned lanes) {
    static constexpr auto kAny = [](const Runnable*) { return true; };
    shared_.forget_other_threads();
    for (unsigned i = 0; i < lanes; ++i) {
        auto* const raised = lanes_[i]->raised.load(std::memory_order_acquire); // [raised-1]
        if (raised != nullptr) raised->forget_other_threads();
        lanes_[i]->forget_lock();
        if (lanes_[i] == &own) continue;
        lanes_[i]->for_each_queue([this](auto& queue) {
            while (Runnable* item = queue.deque.steal_if(kAny))
                shared_.put(item);
        });
        while (Runnable* item = raised != nullptr ? raised->take_highest_if(kAny) : nullptr)
            shared_.put(item);
    }
}

} // namespace teff::sched
