// SPDX-License-Identifier: Apache-2.0
//
// The default policy: one deque per member. The owner takes the newest task, thieves the oldest of a victim chosen at random,
// as in Blumofe and Leiserson (JACM 1999). Tasks with a priority, and tasks without a lane, go to the SharedQueue, which is looked at
// first when it holds a priority and last when it does not.
#pragma once

#include "sched/policy.h"
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

    // HOT spawn. The owner of `lane`.
    [[nodiscard]] bool make_ready(Lane& lane, Runnable* item) {
        if (TEFF_UNLIKELY(item->priority > 0)) shared_.put(item);
        else if (TEFF_UNLIKELY(!lane.deque.push(item))) return false;
        if (TEFF_UNLIKELY(sleepers_.worth_waking())) wake_one();
        return true;
    }

    void make_ready_anywhere(Runnable* item) {
        shared_.put(item);
        if (sleepers_.worth_waking()) wake_one();
    }

    // HOT taskwait. The owner of `lane`.
    template <class Allow> [[nodiscard]] Runnable* take(Lane& lane, Deque::Position floor, Allow&& allow) {
        if (TEFF_UNLIKELY(shared_.has_priority_work()))
            if (Runnable* item = shared_.take_if(allow)) return item;
        return lane.deque.pop(floor);
    }

    template <class Allow> [[nodiscard]] Runnable* steal(Lane& thief, Allow&& allow) {
        const unsigned count = count_.load(std::memory_order_relaxed);
        unsigned victim = next_victim(thief, count);
        for (unsigned i = 0; i < count; ++i, ++victim) {
            if (victim >= count) victim = 0;
            if (victim == thief.number) continue;
            if (Runnable* item = lanes_[victim]->deque.steal_if(allow)) return item;
        }
        return shared_.take_if(allow);
    }

    [[nodiscard]] bool looks_drained() const {
        const unsigned count = count_.load(std::memory_order_relaxed);
        for (unsigned i = 0; i < count; ++i)
            if (!lanes_[i]->deque.looks_empty()) return false;
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

    Lane* const* lanes_ = nullptr;
    // Relaxed: a worker that is about to leave may still look here while the next region is set up; it finds all queues empty.
    std::atomic<unsigned> count_{0};
    alignas(base::kCacheLine) Sleepers sleepers_;
    alignas(base::kCacheLine) SharedQueue shared_;
};

} // namespace teff::sched
