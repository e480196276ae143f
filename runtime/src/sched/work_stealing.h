// SPDX-License-Identifier: Apache-2.0
//
// The default policy: one deque per member. The owner takes the newest task, thieves the oldest of
// a victim chosen at random, as in Blumofe and Leiserson (JACM 1999).
//
// Tasks with a priority lie in their lane's PriorityQueue. Who may run any task takes the highest
// of all lanes first. Who waits for its own descendants alone takes those of its own lane that came
// since it started: it never looks at what others queued. Thieves take them as they take from
// deques. `raised_` counts them over all lanes, so a team without priorities pays one load of a
// line that nobody writes.
//
// A mark (lane.h) proves that what lies above it descends from the task that set it, as long as one
// context after the other runs on the lane's member, each on top of the last. Where contexts have
// taken turns since, it proves nothing (doubt): then the owner, too, asks for proof of each task.
// What it may not run itself it moves to the SharedQueue (dig), for what it may run can lie below
// that. Marks set after the last turn count again, for waiters that trust them (Eligible).
//
// Tasks without a lane go to the SharedQueue. A thief looks there first: they are older than what
// lies in the deques, so there is more below each of them. A producer whose deque is full puts
// thousands there that must not start beside it; thieves that took the remains of each other's
// deques instead would steal for every few tasks. Where tasks have priorities, or homes, it is
// looked at last.
//
// Part of every Scheduler, which says what each operation is for. Its queues are in the lanes. A
// policy that chooses other victims gives these operations a class in RandomVictims' place.
#pragma once

#include "base/contention.h"
#include "sched/policy.h"
#include "sched/shared_queue.h"

namespace teff::sched {

// Whom a thief asks first. After that one it asks the others by their numbers.
template <class Atomics> struct RandomVictims {
    static unsigned first(LaneOver<Atomics>& thief, unsigned count) {
        thief.victim_seed =
            thief.victim_seed * 1664525u + 1013904223u; // a linear congruential generator is random enough here
        return static_cast<unsigned>((std::uint64_t{thief.victim_seed} * count) >> 32);
    }
    // Else was(thief, victim) says who had a task for the thief.
    static constexpr bool kRemembered = false;
};

template <class Atomics> class WorkStealingOver {
  public:
    using Lane = LaneOver<Atomics>;

    // `lanes` belong to the team and outlive this.
    void attach(Lane* const* lanes) { lanes_ = lanes; }
    void resize(unsigned count) { count_.store(count, std::memory_order_relaxed); }
    // Any thread: from now on the SharedQueue is looked at last. Tells of nothing else: relaxed.
    void look_at_shared_last() { shared_last_.store(true, std::memory_order_relaxed); }

    // HOT fib. The owner of `lane`: a task starts on its member, and ends.
    static Mark enter(Lane& lane) {
        const Mark outer = lane.since;
        lane.since = {lane.deque.bottom(), lane.raised_so_far};
        return outer;
    }
    static void leave(Lane& lane, const Mark& outer) { lane.since = outer; }

    // The owner of `lane`, in whose queue there is nothing: a region begins.
    void begin(Lane& lane) {
        if (TEFF_UNLIKELY(lane.in_doubt)) raised_.fetch_sub(kLaneInDoubt, std::memory_order_relaxed);
        lane.in_doubt = false;
    }
    // The owner of `lane`: until the next region, the marks that have been set prove nothing.
    void doubt(Lane& lane) {
        if (!lane.in_doubt) raised_.fetch_add(kLaneInDoubt, std::memory_order_relaxed);
        lane.in_doubt = true;
        lane.raised_so_far += Mark::kDoubt;
    }

    // HOT producer. The owner of `lane`. False: the task carries a priority, or there is no room.
    [[nodiscard]] static bool try_push(Lane& lane, Runnable* item) {
        return TEFF_LIKELY(item->priority == 0) && TEFF_LIKELY(lane.deque.push(item));
    }
    // A task with a priority. False: there is no room.
    [[nodiscard]] TEFF_COLD bool try_raise(Lane& lane, Runnable* item);

    void put_anywhere(Runnable* item) {
        if (item->priority > 0) raised_.fetch_add(1, std::memory_order_relaxed);
        shared_.put(item);
    }

    // HOT taskwait. The owner of `lane`: of what it has made ready, or a task with a priority that
    // goes first.
    template <class Allow> [[nodiscard]] Runnable* take_own(Lane& lane, Allow&& allow) {
        if (TEFF_UNLIKELY(raised_.load(std::memory_order_relaxed) > 0)) {
            if (Runnable* item = raised() > 0 ? take_raised(lane, allow) : nullptr) return item;
            if (lane.in_doubt && allow.constrained() && !proves(lane, allow)) return lane.deque.pop_if(allow);
        }
        return lane.deque.pop(allow.constrained() ? lane.since.deque : INT64_MIN);
    }

    // The owner of `lane`, whose member can run what may not run on top of its current task: what
    // `allow` admits, whoever has made it ready. First the one of the highest priority, if it is
    // admitted; a thorough look finds those behind it, too, in no order.
    template <class Victims = RandomVictims<Atomics>, class Allow>
    [[nodiscard]] TEFF_COLD Runnable* take_unrelated(Lane& lane, Allow&& allow, Look look) {
        if (Runnable* item = take_unrelated_raised(allow, look)) return item;
        if (Runnable* item = lane.deque.pop_if(allow)) return item;
        if (Runnable* item = lane.deque.steal_if(allow)) return item;
        return steal<Victims>(lane, allow, look);
    }

    // The same, of those with a priority alone. None of them can vanish under `allow`.
    template <class Allow> [[nodiscard]] Runnable* take_unrelated_raised(Allow&& allow, Look look) {
        if (raised() == 0) return nullptr;
        return look == Look::kBrief ? take_highest(allow) : take_any_raised(allow);
    }

    // The owner of `lane`, which is in doubt: does the mark of the current task count? It waits.
    template <class Allow> static bool proves(const Lane& lane, Allow&& allow) {
        if constexpr (requires { allow.trusts_mark(); })
            return lane.since.raised / Mark::kDoubt == lane.raised_so_far / Mark::kDoubt && allow.trusts_mark();
        else return false;
    }

    // The owner of `lane`, which doubts its marks: the newest task that `allow` admits. Those above
    // it go where all can take them; `moved` says how many.
    template <class Allow> [[nodiscard]] TEFF_COLD Runnable* dig(Lane& lane, Allow&& allow, unsigned& moved) {
        doubt(lane); // what comes now lies where others have lain
        while (Runnable* item = lane.deque.pop(INT64_MIN)) {
            if (allow(item)) return item;
            shared_.put(item);
            ++moved;
        }
        return nullptr;
    }

    // Tasks with a priority that are queued, or some more.
    [[nodiscard]] std::int64_t raised() const { return raised_.load(std::memory_order_relaxed) & (kLaneInDoubt - 1); }

    // The highest priority of a queued task, 0 if none has one.
    [[nodiscard]] std::int32_t highest() const {
        if (TEFF_LIKELY(raised() == 0)) return 0;
        const Lane* const lane = highest_lane();
        return lane != nullptr ? highest_of(*lane) : shared_.highest();
    }

    template <class Victims = RandomVictims<Atomics>, class Allow>
    [[nodiscard]] Runnable* steal(Lane& thief, Allow&& allow, Look look) {
        const bool raised = TEFF_UNLIKELY(this->raised() > 0);
        const unsigned count = count_.load(std::memory_order_relaxed);
        if (!raised && !shared_last_.load(std::memory_order_relaxed))
            if (Runnable* item = take_shared(allow, kBriefLook)) return item;
        unsigned victim = Victims::first(thief, count);
        for (unsigned i = 0; i < count; ++i, ++victim) {
            if (victim >= count) victim = 0;
            if (victim == thief.number) continue;
            if (raised)
                if (Runnable* item = take_highest_of(*lanes_[victim], allow)) {
                    if constexpr (Victims::kRemembered) Victims::was(thief, victim);
                    return item;
                }
            if (Runnable* item = steal_from(*lanes_[victim], allow, look)) {
                if constexpr (Victims::kRemembered) Victims::was(thief, victim);
                return item;
            }
        }
        return take_shared(allow, look == Look::kBrief ? kBriefLook : ~0u);
    }

    [[nodiscard]] bool looks_drained() const {
        const unsigned count = count_.load(std::memory_order_relaxed);
        for (unsigned i = 0; i < count; ++i)
            if (!lanes_[i]->deque.looks_empty() || highest_of(*lanes_[i]) > 0) return false;
        return shared_.looks_empty();
    }

    // Takes over what is queued in all of so many lanes but `own`.
    void forget_other_threads(Lane& own, unsigned lanes);

  private:
    static constexpr unsigned kBriefLook = 8;
    static constexpr std::int64_t kLaneInDoubt = std::int64_t{1} << 40; // in raised_

    static std::int32_t highest_of(const Lane& lane) {
        const auto* queue = lane.raised.load(std::memory_order_acquire); // [raised-1]
        return queue == nullptr ? 0 : queue->highest();
    }

    // The lane with the highest priority; null if the shared queue has a higher one, or nobody has
    // one.
    [[nodiscard]] TEFF_COLD Lane* highest_lane() const;

    // A brief look leaves a victim that another thief is at. A thorough one does not: it is the
    // last before the member sleeps, and nobody would wake it for what the other thief leaves.
    template <class Allow> static Runnable* steal_from(Lane& victim, Allow&& allow, Look look) {
        for (;;) {
            bool lost = false;
            Runnable* const item = victim.deque.steal_if(allow, &lost);
            if (TEFF_LIKELY(!lost)) return item;
            base::count_here(TEFF_STAT_LOST_STEALS);
            if (look == Look::kBrief) return item;
        }
    }

    template <class Allow> TEFF_COLD Runnable* take_raised(Lane& lane, Allow&& allow) {
        return allow.constrained() ? take_own_raised(lane, allow) : take_highest(allow);
    }
    template <class Allow> Runnable* take_own_raised(Lane& lane, Allow&& allow) {
        auto* const queue = lane.raised.load(std::memory_order_relaxed);
        if (queue == nullptr) return nullptr;
        if (lane.in_doubt && !proves(lane, allow)) return count_out(queue->take_newest_if(allow));
        if (lane.raised_so_far == lane.since.raised) return nullptr;
        return count_out(queue->take_newest_since(lane.since.raised));
    }
    template <class Allow> Runnable* take_highest(Allow&& allow) {
        Lane* const highest = highest_lane();
        if (highest != nullptr) return take_highest_of(*highest, allow);
        return shared_.highest() > 0 ? take_shared(allow, kBriefLook) : nullptr;
    }

    template <class Allow> Runnable* take_highest_of(Lane& lane, Allow&& allow) {
        auto* const queue = lane.raised.load(std::memory_order_acquire); // [raised-1]
        return queue == nullptr ? nullptr : count_out(queue->take_highest_if(allow));
    }
    template <class Allow> Runnable* take_shared(Allow&& allow, unsigned at_most) {
        return count_out(shared_.take_if(allow, at_most));
    }
    // Also one that lies behind others which `allow` does not admit.
    template <class Allow> Runnable* take_any_raised(Allow&& allow) {
        const unsigned count = count_.load(std::memory_order_relaxed);
        for (unsigned i = 0; i < count; ++i) {
            auto* const queue = lanes_[i]->raised.load(std::memory_order_acquire); // [raised-1]
            if (queue == nullptr) continue;
            if (Runnable* item = queue->take_newest_if(allow)) return count_out(item);
        }
        return shared_.highest() > 0 ? take_shared(allow, ~0u) : nullptr;
    }
    Runnable* count_out(Runnable* item) {
        if (item != nullptr && item->priority > 0) raised_.fetch_sub(1, std::memory_order_relaxed);
        return item;
    }

    Lane* const* lanes_ = nullptr;
    typename Atomics::template atomic<bool> shared_last_{false};
    // Relaxed: a worker that is about to leave may still look here while the next region is set up;
    // it finds all queues empty.
    typename Atomics::template atomic<unsigned> count_{0};
    alignas(base::kCacheLine) SharedQueueOver<Atomics> shared_;
    // Tasks with a priority that are queued somewhere, and kLaneInDoubt times the lanes in doubt.
    // Goes up before one is put there: who finds 0 need not look.
    alignas(base::kCacheLine) typename Atomics::template atomic<std::int64_t> raised_{0};
};

template <class Atomics> bool WorkStealingOver<Atomics>::try_raise(Lane& lane, Runnable* item) {
    using Queue = PriorityQueueOver<Atomics>;
    Queue* queue = lane.raised.load(std::memory_order_relaxed);
    if (queue == nullptr) {
        queue = Queue::try_make(lane.deque.capacity());
        if (queue == nullptr) return false;
        lane.raised.store(queue, std::memory_order_release); // [raised-1]
    }
    raised_.fetch_add(1, std::memory_order_relaxed);
    if (!queue->put(item, lane.raised_so_far)) {
        raised_.fetch_sub(1, std::memory_order_relaxed);
        return false;
    }
    ++lane.raised_so_far;
    return true;
}

template <class Atomics> LaneOver<Atomics>* WorkStealingOver<Atomics>::highest_lane() const {
    std::int32_t highest = shared_.highest();
    Lane* found = nullptr;
    const unsigned count = count_.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < count; ++i) {
        const std::int32_t here = highest_of(*lanes_[i]);
        if (here <= highest) continue;
        highest = here;
        found = lanes_[i];
    }
    return found;
}

template <class Atomics> void WorkStealingOver<Atomics>::forget_other_threads(Lane& own, unsigned lanes) {
    constexpr auto kAny = [](const Runnable*) { return true; };
    shared_.forget_other_threads();
    for (unsigned i = 0; i < lanes; ++i) {
        auto* const raised = lanes_[i]->raised.load(std::memory_order_acquire); // [raised-1]
        if (raised != nullptr) raised->forget_other_threads();
        if (lanes_[i] == &own) continue;
        while (Runnable* item = lanes_[i]->deque.steal_if(kAny))
            shared_.put(item);
        while (Runnable* item = raised != nullptr ? raised->take_highest_if(kAny) : nullptr)
            shared_.put(item);
    }
}

} // namespace teff::sched
