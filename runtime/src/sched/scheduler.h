// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: the ready tasks of one team, and the members that sleep until a task is ready.
//
// The scheduler combines a policy with the Sleepers. The policy decides which member gets which
// task. A thread that makes a task ready also uses the Sleepers to wake a member that can run the
// task. The default policy's paths are inlined. If TEFF_SCHEDULE names another policy, that policy
// is asked whenever a member's own queue refuses a task or has no task. A policy that replaces the
// default leaves the lanes' own queues unopened: they refuse every task and are always empty. A
// policy that complements the default gets the tasks that the lanes refuse (policy.h), and uses the
// lanes itself (the functions whose names contain of_lanes). With the default policy, the only cost
// of all this is one test of a pointer, which is not on the short paths.
#pragma once

#include "sched/eligibility.h"
#include "sched/sleepers.h"
#include "sched/work_stealing.h"

namespace teff::sched {

template <class Atomics> class SchedulerOver {
  public:
    using Lane = LaneOver<Atomics>;

    // Sets the arrays that the scheduler uses: `lanes`, and `sleeper_bits` with one word per 64
    // lanes. Both belong to the team and outlive the scheduler.
    void attach(Lane* const* lanes, typename Atomics::template atomic<std::uint64_t>* sleeper_bits, unsigned capacity) {
        lanes_.store(lanes, std::memory_order_release); // [sleepers-1]
        stealing_.attach(lanes);
        sleepers_.attach(sleeper_bits, capacity);
    }
    // Sets a policy that replaces or complements the default. Called before any task is queued.
    void choose(PolicyOver<Atomics>* policy) { other_ = policy; }
    // Returns true if the policy uses homes, so that it is worth finding out where a task's data
    // lies.
    [[nodiscard]] bool knows_homes() const { return other_ != nullptr && other_->stands == Stands::kBesideForHomes; }
    // Sets how many lanes take part. Called only while no task is queued.
    void resize(unsigned count) {
        stealing_.resize(count);
        sleepers_.resize(count);
        if (TEFF_UNLIKELY(other_ != nullptr)) other_->resize(count);
    }
    // Prepares the lane for tasks. A queue may grow to `limit` tasks, a power of two, before
    // make_ready returns false. Returns false if there is no memory. Called by the owner of `lane`,
    // before it makes its first task ready.
    [[nodiscard]] bool open(Lane& lane, std::uint32_t limit) {
        const bool queues_elsewhere = other_ != nullptr && other_->stands == Stands::kInPlaceOfDefault;
        lane.limit = queues_elsewhere ? 0 : limit;
        return queues_elsewhere || lane.has_queue() || lane.take_queue();
    }

    // enter is called when a task starts on the lane's member, and returns the argument for
    // leave(). leave is called when that task ends. Both are called by the owner of `lane` only.
    static Mark enter(Lane& lane) { return WorkStealingOver<Atomics>::enter(lane); }
    static void leave(Lane& lane, const Mark& outer) { WorkStealingOver<Atomics>::leave(lane, outer); }

    // HOT producer. Queues the task and wakes a member if that is worthwhile. Returns false if the
    // queue is full: the caller then runs the task at once, or queues it past the limit
    // (task/full_queue.h). Called by the owner of `lane` only.
    [[nodiscard]] bool make_ready(Lane& lane, Runnable* item) {
        if (TEFF_UNLIKELY(!stealing_.try_push(lane, item)) && !put_slow(lane, item)) return false;
        if (TEFF_UNLIKELY(sleepers_.worth_waking())) wake_one();
        return true;
    }
    // Returns true if the current queue holds more than three quarters of the lane's limit. Called
    // by the owner of `lane` only.
    [[nodiscard]] static bool is_nearly_full(Lane& lane) {
        return lane.limit != 0 && lane.queue().deque.size() > lane.limit / 4 * 3;
    }
    // As make_ready, but queues the task even past the limit. For a task that may not run at once.
    // Called by the owner of `lane` only.
    TEFF_COLD void make_ready_past_limit(Lane& lane, Runnable* item) {
        if (lane.limit == 0 || !put_past_limit(lane, item)) return make_ready_anywhere(item);
        count_raise(*item);
        if (sleepers_.worth_waking()) wake_one();
    }

    // Queues the task in a queue that belongs to no lane, and wakes a member if that is worthwhile.
    // May be called by any thread, also by a thread without a lane or with a full lane.
    void make_ready_anywhere(Runnable* item) {
        count_raise(*item);
        if (TEFF_UNLIKELY(other_ != nullptr)) other_->put_anywhere(item);
        else stealing_.put_anywhere(item);
        if (sleepers_.worth_waking()) wake_one();
    }

    // Queues a task again that was taken and has not begun. Does not count as a raise. May be
    // called by any thread.
    void put_back(Runnable* item) {
        if (TEFF_UNLIKELY(other_ != nullptr)) other_->put_anywhere(item);
        else stealing_.put_anywhere(item);
        if (sleepers_.worth_waking()) wake_one();
    }

    // HOT taskwait. Both functions take the next task for the lane's member, or return null:
    // take_own takes from the tasks that the member has made ready itself, take_any from all
    // others. `allow` has `bool operator()(const Runnable*)`, which returns true if the member may
    // run the task, and `bool constrained()`, which returns true if the member may run descendants
    // of its current task only. Called by the owner of `lane` only.
    template <class Allow> [[nodiscard]] Runnable* take_own(Lane& lane, Allow&& allow) {
        return stealing_.take_own(lane, allow);
    }
    template <class Allow> [[nodiscard]] Runnable* take_any(Lane& lane, Allow&& allow, Look look) {
        if (TEFF_UNLIKELY(other_ != nullptr)) return other_->take(lane, Waiter(allow), look, Sought::kOnTop);
        return any_of_lanes(lane, allow, look);
    }
    // Takes any task of the team that `allow` admits, whether or not the task may run on top of the
    // member's current task: the caller runs it on a stack of its own. Called by the owner of
    // `lane` only.
    template <class Allow> [[nodiscard]] Runnable* take_unrelated(Lane& lane, Allow&& allow, Look look) {
        if (TEFF_UNLIKELY(other_ != nullptr)) return other_->take(lane, Waiter(allow), look, Sought::kUnrelated);
        return stealing_.take_unrelated(lane, allow, look);
    }
    // As take_unrelated, but takes tasks with a priority only. No task can vanish while `allow`
    // looks at it.
    template <class Allow> [[nodiscard]] Runnable* take_unrelated_raised(Lane& lane, Allow&& allow, Look look) {
        if (TEFF_UNLIKELY(other_ != nullptr)) return other_->take(lane, Waiter(allow), look, Sought::kRaised);
        return stealing_.take_unrelated_raised(allow, look);
    }

    // Moves the tasks of the member's own queues to where any member finds each of them, and wakes
    // the sleepers to look there. Called by the owner of `lane` only.
    TEFF_COLD void share_all(Lane& lane) {
        if (stealing_.share_all(lane)) wake_all_if_any(TEFF_WAKE_TASK);
    }

    // Takes a task of a priority above `level` that `may` admits, if there is one.
    template <class May> [[nodiscard]] TEFF_COLD Runnable* take_above(Lane& lane, const May& may, std::int32_t level) {
        const AboveOf<May> above(may, level);
        if (Runnable* const found = take_unrelated_raised(lane, above, Look::kBrief)) return found;
        return take_unrelated_raised(lane, above, Look::kThorough); // it may be behind one that `may` refuses
    }

    // The default policy's put, put_anywhere, take and looks_drained (policy.h), and the policy
    // itself. Called by a policy that complements the default.
    [[nodiscard]] bool put_of_lanes(Lane& lane, Runnable* item) {
        return stealing_.try_push(lane, item) || put_in_lane(lane, item);
    }
    void put_anywhere_of_lanes(Runnable* item) { stealing_.put_anywhere(item); }
    [[nodiscard]] Runnable* take_of_lanes(Lane& lane, const Waiter& waiter, Look look, Sought sought) {
        if (sought == Sought::kOnTop) return any_of_lanes(lane, waiter, look);
        if (sought == Sought::kUnrelated) return stealing_.take_unrelated(lane, waiter, look);
        return stealing_.take_unrelated_raised(waiter, look);
    }
    [[nodiscard]] bool lanes_look_drained() const { return stealing_.looks_drained(); }
    WorkStealingOver<Atomics>& default_policy() { return stealing_; }

    // Returns true if the member's current task has left tasks of its own queued in the lane;
    // `allow` admits these tasks only. `has_place`: the current task has a priority and therefore a
    // place. This call misses some tasks that a thorough look finds: those in the queues of other
    // policies, and tasks with a priority that are behind many others. Called by the owner of
    // `lane` only.
    template <class Allow> [[nodiscard]] bool has_own(Lane& lane, Allow&& allow, bool has_place) {
        if (lane.has_tasks_since()) return true;
        if (TEFF_LIKELY(raised() == 0)) return false;
        auto* const queue = lane.raised.load(std::memory_order_relaxed);
        if (queue == nullptr) return false;
        return has_place ? queue->has_at(lane.place, allow)
                         : queue->has_newest(allow, WorkStealingOver<Atomics>::kBriefOwnLook);
    }

    // Returns the highest priority of a queued task, or 0 if no queued task has a priority.
    [[nodiscard]] std::int32_t highest() const {
        const bool elsewhere = other_ != nullptr && other_->stands == Stands::kInPlaceOfDefault;
        return TEFF_UNLIKELY(elsewhere) ? other_->highest() : stealing_.highest();
    }
    // Returns an upper bound of the number of tasks with a priority in the default policy's queues.
    [[nodiscard]] std::int64_t raised() const { return stealing_.raised(); }

    // Returns how many tasks with a priority have been queued so far. If the number has not changed
    // since a look, no such task has been queued since.
    [[nodiscard]] std::uint64_t raises() const { return stealing_.raises(); }

    [[nodiscard]] bool looks_drained() const {
        return other_ != nullptr ? other_->looks_drained() : stealing_.looks_drained();
    }

    // Wakes one member that sleeps because it has no work, unless a woken member is still
    // searching. Wakes `wanted` if that member sleeps, otherwise any sleeper.
    TEFF_COLD void wake_one(unsigned wanted = SleepersOver<Atomics>::kNone) {
        const unsigned member = sleepers_.try_take_one(wanted);
        if (member != SleepersOver<Atomics>::kNone) unpark(member, TEFF_WAKE_TASK);
    }
    // Wakes every member that sleeps because it has no work.
    TEFF_COLD void wake_all(teff_wake_cause cause) {
        sleepers_.take_all([this, cause](unsigned member) { unpark(member, cause); });
    }
    // Wakes every sleeping member, if any sleeps, after an event for all. The caller has made the
    // event visible by a seq_cst operation before the call.
    void wake_all_if_any(teff_wake_cause cause) {
        if (sleepers_.any()) wake_all(cause);
    }

    SleepersOver<Atomics>& sleepers() { return sleepers_; }

    // Moves the tasks queued in the first `lanes` lanes, except `own`, to the shared queue, and
    // empties the Sleepers. Called in a forked child, which then calls attach() and resize().
    void forget_other_threads(Lane& own, unsigned lanes) {
        stealing_.forget_other_threads(own, lanes);
        if (other_ != nullptr) other_->forget_other_threads(own);
        ::new (&sleepers_) SleepersOver<Atomics>;
    }

  private:
    static constexpr std::uint32_t kNoLimit = std::uint32_t{1} << 31;

    template <class Allow> Runnable* any_of_lanes(Lane& lane, Allow&& allow, Look look) {
        if (Runnable* item = stealing_.take_left(lane, allow, look)) return item;
        if (Runnable* item = stealing_.steal(lane, allow, look)) return item;
        if (TEFF_LIKELY(look == Look::kBrief || raised() == 0)) return nullptr;
        return stealing_.take_unrelated_raised(allow, look); // finds tasks behind tasks that may not run
    }

    [[nodiscard]] TEFF_COLD bool put_slow(Lane& lane, Runnable* item) {
        count_raise(*item);
        return other_ != nullptr ? other_->put(lane, item) : put_in_lane(lane, item);
    }
    [[nodiscard]] bool put_in_lane(Lane& lane, Runnable* item) {
        return item->priority > 0 ? stealing_.try_raise(lane, item) : stealing_.try_push_slow(lane, item, lane.limit);
    }

    void count_raise(const Runnable& item) {
        if (item.priority > 0) stealing_.count_raise();
    }
    [[nodiscard]] bool put_past_limit(Lane& lane, Runnable* item) {
        return item->priority > 0 ? stealing_.try_raise_past_limit(lane, item)
                                  : stealing_.try_push_slow(lane, item, kNoLimit);
    }

    // Unparks the worker that is this member. A worker that has left the team meanwhile gets a
    // spurious token, which every caller of park tolerates.
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
