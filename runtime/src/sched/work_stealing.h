// SPDX-License-Identifier: Apache-2.0
//
// The default policy: one deque per member. The owner takes the newest task, thieves the oldest of a victim chosen at random,
// as in Blumofe and Leiserson (JACM 1999).
//
// Tasks with a priority lie in their lane's PriorityQueue. Who may run any task takes the highest of all lanes first. Who waits for its own
// descendants alone takes those of its own lane that came since it started: it never looks at what others queued. Thieves take them as they
// take from deques. `raised_` counts them over all lanes, so a team without priorities pays one load of a line that nobody writes.
//
// Tasks without a lane go to the SharedQueue, which is looked at last.
#pragma once

#include "sched/policy.h"
#include "sched/priority_queue.h"
#include "sched/shared_queue.h"

namespace teff::sched {

class WorkStealing {
  public:
    // `lanes` and `sleeper_bits` (one word per 64 lanes) belong to the team and outlive this.
    void attach(Lane* const* lanes, std::atomic<std::uint64_t>* sleeper_bits, unsigned capacity) {
        lanes_ = lanes;
        sleepers_.attach(sleeper_bits, capacity);
    }
    // How many lanes take part. Only while nothing is queued.
    void resize(unsigned count) { count_.store(count, std::memory_order_relaxed); }

    // HOT fib. The owner of `lane`.
    static Mark enter(Lane& lane) {
        const Mark outer = lane.since;
        lane.since = {lane.deque.bottom(), lane.raised_so_far};
        return outer;
    }
    static void leave(Lane& lane, const Mark& outer) { lane.since = outer; }

    // HOT spawn. The owner of `lane`.
    [[nodiscard]] bool make_ready(Lane& lane, Runnable* item) {
        if (TEFF_UNLIKELY(item->priority > 0)) {
            if (!try_raise(lane, item)) return false;
        } else if (TEFF_UNLIKELY(!lane.deque.push(item))) {
            return false;
        }
        if (TEFF_UNLIKELY(sleepers_.worth_waking())) wake_one();
        return true;
    }

    void make_ready_anywhere(Runnable* item) {
        if (item->priority > 0) raised_.fetch_add(1, std::memory_order_relaxed);
        shared_.put(item);
        if (sleepers_.worth_waking()) wake_one();
    }

    // HOT taskwait. The owner of `lane`.
    template <class Allow> [[nodiscard]] Runnable* take(Lane& lane, Allow&& allow) {
        if (TEFF_UNLIKELY(raised_.load(std::memory_order_relaxed) > 0))
            if (Runnable* item = take_raised(lane, allow)) return item;
        return lane.deque.pop(allow.constrained() ? lane.since.deque : INT64_MIN);
    }

    template <class Allow> [[nodiscard]] Runnable* steal(Lane& thief, Allow&& allow, Look look = Look::kThorough) {
        const bool raised = TEFF_UNLIKELY(raised_.load(std::memory_order_relaxed) > 0);
        const unsigned count = count_.load(std::memory_order_relaxed);
        unsigned victim = next_victim(thief, count);
        for (unsigned i = 0; i < count; ++i, ++victim) {
            if (victim >= count) victim = 0;
            if (victim == thief.number) continue;
            if (raised)
                if (Runnable* item = take_highest_of(*lanes_[victim], allow)) return item;
            if (Runnable* item = lanes_[victim]->deque.steal_if(allow)) return item;
        }
        return take_shared(allow, look == Look::kBrief ? kBriefLook : ~0u);
    }

    [[nodiscard]] bool looks_drained() const {
        const unsigned count = count_.load(std::memory_order_relaxed);
        for (unsigned i = 0; i < count; ++i)
            if (!lanes_[i]->deque.looks_empty() || highest_of(*lanes_[i]) > 0) return false;
        return shared_.looks_empty();
    }

    // Wakes one member that sleeps for want of work, unless one is on its way already.
    TEFF_COLD void wake_one();
    // Wakes every member that sleeps for want of work.
    TEFF_COLD void wake_all();

    Sleepers& sleepers() { return sleepers_; }
    Lane& lane(unsigned member) { return *lanes_[member]; }

    // In a forked child: takes over what is queued in all lanes but `own`, and forgets who sleeps. attach() and resize() follow.
    void forget_other_threads(Lane& own, unsigned lanes);

  private:
    static unsigned next_victim(Lane& thief, unsigned count) {
        thief.victim_seed =
            thief.victim_seed * 1664525u + 1013904223u; // a linear congruential generator is random enough here
        return static_cast<unsigned>((std::uint64_t{thief.victim_seed} * count) >> 32);
    }

    void unpark(unsigned member);

    static std::int32_t highest_of(const Lane& lane) {
        const PriorityQueue* queue = lane.raised.load(std::memory_order_acquire); // [raised-1]
        return queue == nullptr ? 0 : queue->highest();
    }

    // False: the lane has no room.
    [[nodiscard]] TEFF_COLD bool try_raise(Lane& lane, Runnable* item);
    // The lane with the highest priority; null if the shared queue has a higher one, or nobody has one.
    [[nodiscard]] TEFF_COLD Lane* highest_lane() const;

    template <class Allow> TEFF_COLD Runnable* take_raised(Lane& lane, Allow&& allow) {
        if (allow.constrained()) return take_own_raised(lane);
        Lane* const highest = highest_lane();
        if (highest != nullptr) return take_highest_of(*highest, allow);
        return shared_.highest() > 0 ? take_shared(allow, kBriefLook) : nullptr;
    }
    Runnable* take_own_raised(Lane& lane);

    template <class Allow> Runnable* take_highest_of(Lane& lane, Allow&& allow) {
        PriorityQueue* const queue = lane.raised.load(std::memory_order_acquire); // [raised-1]
        return queue == nullptr ? nullptr : count_out(queue->take_highest_if(allow));
    }
    template <class Allow> Runnable* take_shared(Allow&& allow, unsigned at_most) {
        return count_out(shared_.take_if(allow, at_most));
    }
    Runnable* count_out(Runnable* item) {
        if (item != nullptr && item->priority > 0) raised_.fetch_sub(1, std::memory_order_relaxed);
        return item;
    }

    static constexpr unsigned kBriefLook = 8;

    Lane* const* lanes_ = nullptr;
    // Relaxed: a worker that is about to leave may still look here while the next region is set up; it finds all queues empty.
    std::atomic<unsigned> count_{0};
    alignas(base::kCacheLine) Sleepers sleepers_;
    alignas(base::kCacheLine) SharedQueue shared_;
    // Tasks with a priority that are queued somewhere. Goes up before one is put there: who finds 0 need not look.
    alignas(base::kCacheLine) std::atomic<std::int64_t> raised_{0};
};

} // namespace teff::sched
