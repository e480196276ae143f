// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: the ready tasks of one team, and which of its members sleep until there are some.
//
// It joins a policy, which decides who gets which task, with the Sleepers, so that whoever makes a
// task ready wakes a member for it. The default policy's paths are inlined. If TEFF_SCHEDULE names
// another one, that one is asked whenever a member's own queue refuses a task or has none. If it
// stands in the default's place, the lanes' own queues are never opened, so they always refuse and
// always are empty. If it stands beside the default, it gets what the lanes refuse (policy.h), and
// uses the lanes itself (the functions whose names contain of_lanes). A process that keeps the
// default pays one test of a pointer for this, off the short paths.
#pragma once

#include "sched/sleepers.h"
#include "sched/work_stealing.h"

namespace teff::sched {

template <class Atomics> class SchedulerOver {
  public:
    using Lane = LaneOver<Atomics>;

    // `lanes` and `sleeper_bits` (one word per 64 lanes) belong to the team and outlive this.
    void attach(Lane* const* lanes, typename Atomics::template atomic<std::uint64_t>* sleeper_bits, unsigned capacity) {
        lanes_.store(lanes, std::memory_order_release); // [sleepers-1]
        stealing_.attach(lanes);
        sleepers_.attach(sleeper_bits, capacity);
    }
    // Before anything is queued: this policy, in place of the default or beside it.
    void choose(PolicyOver<Atomics>* policy) { other_ = policy; }
    // Is it worth finding out where a task's data lies?
    [[nodiscard]] bool knows_homes() const { return other_ != nullptr && other_->stands == Stands::kBesideForHomes; }
    // How many lanes take part. Only while nothing is queued.
    void resize(unsigned count) {
        stealing_.resize(count);
        sleepers_.resize(count);
        if (TEFF_UNLIKELY(other_ != nullptr)) other_->resize(count);
    }
    // The owner of `lane`, before it makes its first task ready: a queue may grow to `limit`
    // tasks, a power of two, before make_ready refuses. False: no memory.
    [[nodiscard]] bool open(Lane& lane, std::uint32_t limit) {
        const bool queues_elsewhere = other_ != nullptr && other_->stands == Stands::kInPlaceOfDefault;
        lane.limit = queues_elsewhere ? 0 : limit;
        return queues_elsewhere || lane.has_queue() || lane.take_queue();
    }

    // The owner of `lane`: a task starts on its member. Returns what leave() is to be given when it
    // ends.
    static Mark enter(Lane& lane) { return WorkStealingOver<Atomics>::enter(lane); }
    static void leave(Lane& lane, const Mark& outer) { WorkStealingOver<Atomics>::leave(lane, outer); }

    // HOT producer. The owner of `lane`. False: its queue is full; the caller runs the task at
    // once, or queues it past the limit (task/full_queue.h).
    [[nodiscard]] bool make_ready(Lane& lane, Runnable* item) {
        if (TEFF_UNLIKELY(!stealing_.try_push(lane, item)) && !put_slow(lane, item)) return false;
        if (TEFF_UNLIKELY(sleepers_.worth_waking())) wake_one();
        return true;
    }
    // The owner of `lane`: have thieves left more than three quarters of what its queue may hold?
    [[nodiscard]] static bool is_nearly_full(Lane& lane) {
        return lane.limit != 0 && lane.queue().deque.size() > lane.limit / 4 * 3;
    }
    // make_ready past the limit, for a task that may not run at once.
    TEFF_COLD void make_ready_past_limit(Lane& lane, Runnable* item) {
        if (lane.limit == 0 || !stealing_.try_push_slow(lane, item, kNoLimit)) return make_ready_anywhere(item);
        if (sleepers_.worth_waking()) wake_one();
    }

    // Any thread, also one without a lane, or past a full one.
    void make_ready_anywhere(Runnable* item) {
        if (TEFF_UNLIKELY(other_ != nullptr)) other_->put_anywhere(item);
        else stealing_.put_anywhere(item);
        if (sleepers_.worth_waking()) wake_one();
    }

    // HOT taskwait. The owner of `lane`: the next task for its member, which may run what `allow`
    // admits: `bool operator()(const Runnable*)`, and `bool constrained()`, descendants of its
    // current task alone. First of what it has made ready itself; then anywhere.
    template <class Allow> [[nodiscard]] Runnable* take_own(Lane& lane, Allow&& allow) {
        return stealing_.take_own(lane, allow);
    }
    template <class Allow> [[nodiscard]] Runnable* take_any(Lane& lane, Allow&& allow, Look look) {
        if (TEFF_UNLIKELY(other_ != nullptr)) return other_->take(lane, Waiter(allow), look, Sought::kOnTop);
        return any_of_lanes(lane, allow, look);
    }
    // The owner of `lane`, for a stack of its own: any task of the team that `allow` admits,
    // whether it may run on top of the member's current task or not.
    template <class Allow> [[nodiscard]] Runnable* take_unrelated(Lane& lane, Allow&& allow, Look look) {
        if (TEFF_UNLIKELY(other_ != nullptr)) return other_->take(lane, Waiter(allow), look, Sought::kUnrelated);
        return unrelated_of_lanes(lane, allow, look);
    }
    // The same, of those with a priority alone. None of them can vanish under `allow`.
    template <class Allow> [[nodiscard]] Runnable* take_unrelated_raised(Lane& lane, Allow&& allow, Look look) {
        if (TEFF_UNLIKELY(other_ != nullptr)) return other_->take(lane, Waiter(allow), look, Sought::kRaised);
        return stealing_.take_unrelated_raised(allow, look);
    }

    // The default's part of put, put_anywhere, take and looks_drained (policy.h), for a policy that
    // stands beside it; thieves may choose other victims.
    [[nodiscard]] bool put_of_lanes(Lane& lane, Runnable* item) {
        return stealing_.try_push(lane, item) || put_in_lane(lane, item);
    }
    void put_anywhere_of_lanes(Runnable* item) { stealing_.put_anywhere(item); }
    template <class Victims = RandomVictims<Atomics>>
    [[nodiscard]] Runnable* take_of_lanes(Lane& lane, const Waiter& waiter, Look look, Sought sought) {
        if (sought == Sought::kOnTop) return any_of_lanes<Victims>(lane, waiter, look);
        if (sought == Sought::kUnrelated) return unrelated_of_lanes<Victims>(lane, waiter, look);
        return stealing_.take_unrelated_raised(waiter, look);
    }
    [[nodiscard]] bool lanes_look_drained() const { return stealing_.looks_drained(); }

    // The owner of `lane`: has the member's current task left tasks queued that `allow` admits,
    // which are its own? Those of other policies' queues it finds again by a thorough look.
    template <class Allow> [[nodiscard]] bool has_own(Lane& lane, Allow&& allow) {
        if (lane.has_tasks_since()) return true;
        if (TEFF_LIKELY(raised() == 0)) return false;
        auto* const queue = lane.raised.load(std::memory_order_relaxed);
        return queue != nullptr && queue->has(allow);
    }

    // The highest priority of a queued task, as far as the default policy knows; 0 if none has one.
    [[nodiscard]] std::int32_t highest() const { return stealing_.highest(); }
    // Tasks with a priority that are queued, or some more.
    [[nodiscard]] std::int64_t raised() const { return stealing_.raised(); }

    [[nodiscard]] bool looks_drained() const {
        return other_ != nullptr ? other_->looks_drained() : stealing_.looks_drained();
    }

    // Wakes one member that sleeps because it has no work, unless one is on its way already.
    // `wanted`, if it sleeps.
    TEFF_COLD void wake_one(unsigned wanted = SleepersOver<Atomics>::kNone) {
        const unsigned member = sleepers_.try_take_one(wanted);
        if (member != SleepersOver<Atomics>::kNone) unpark(member, TEFF_WAKE_TASK);
    }
    // Wakes every member that sleeps because it has no work.
    TEFF_COLD void wake_all(teff_wake_cause cause) {
        sleepers_.take_all([this, cause](unsigned member) { unpark(member, cause); });
    }
    // An event for all has happened, by a seq_cst operation before the call.
    void wake_all_if_any(teff_wake_cause cause) {
        if (sleepers_.any()) wake_all(cause);
    }

    SleepersOver<Atomics>& sleepers() { return sleepers_; }

    // In a forked child: takes over what is queued in all of so many lanes but `own`, and forgets
    // who sleeps. attach() and resize() follow.
    void forget_other_threads(Lane& own, unsigned lanes) {
        stealing_.forget_other_threads(own, lanes);
        if (other_ != nullptr) other_->forget_other_threads(own);
        ::new (&sleepers_) SleepersOver<Atomics>;
    }

  private:
    static constexpr std::uint32_t kNoLimit = std::uint32_t{1} << 31;

    template <class Victims = RandomVictims<Atomics>, class Allow>
    Runnable* any_of_lanes(Lane& lane, Allow&& allow, Look look) {
        if (Runnable* item = stealing_.take_left(lane, allow, look)) return item;
        if (Runnable* item = stealing_.template steal<Victims>(lane, allow, look)) return item;
        if (TEFF_LIKELY(look == Look::kBrief || raised() == 0)) return nullptr;
        return stealing_.take_unrelated_raised(allow, look); // behind others that may not run
    }
    template <class Victims = RandomVictims<Atomics>, class Allow>
    Runnable* unrelated_of_lanes(Lane& lane, Allow&& allow, Look look) {
        return stealing_.template take_unrelated<Victims>(lane, allow, look);
    }

    [[nodiscard]] TEFF_COLD bool put_slow(Lane& lane, Runnable* item) {
        return other_ != nullptr ? other_->put(lane, item) : put_in_lane(lane, item);
    }
    [[nodiscard]] bool put_in_lane(Lane& lane, Runnable* item) {
        return item->priority > 0 ? stealing_.try_raise(lane, item) : stealing_.try_push_slow(lane, item, lane.limit);
    }

    // A worker that has left the team meanwhile gets a spurious token, which every caller of park
    // bears.
    void unpark(unsigned member, teff_wake_cause cause) {
        if (auto* parker = lanes_.load(std::memory_order_acquire)[member]->parker.load(std::memory_order_acquire))
            parker->unpark(cause); // [lane-1]
    }

    std::atomic<Lane* const*> lanes_{nullptr}; // changes between regions
    PolicyOver<Atomics>* other_ = nullptr;     // null: work stealing alone
    alignas(base::kCacheLine) SleepersOver<Atomics> sleepers_;
    WorkStealingOver<Atomics> stealing_;
};

using Scheduler = SchedulerOver<base::RealAtomics>;

} // namespace teff::sched
