// SPDX-License-Identifier: Apache-2.0
//
// Wait: the wait of a team's member for any condition.
//
// As long as the wait's condition does not hold, the member does what choice.h decides: either it
// runs tasks that may run on top of the wait, or it suspends its current task and continues on
// another context, until it returns to the task (task/suspend.h). If the member finds nothing to
// do, it spins or yields for some time (idle/pace.h), and then sleeps until the awaited event or
// new work wakes it. The following waits use this class, each with its own condition: barrier,
// join, taskwait, taskgroup, dependences, detached events, and the waits of workers between
// regions. Workers without a team sleep at their inbox instead (team/inbox.h).
//
// A condition has these members:
//
//     bool over()          returns true if the condition holds; called often
//     bool try_arm()       requests a notification of this wait; false: the condition holds already
//     void disarm()        withdraws that request, if it is still pending
//     void ran_out()       called when tasks were run in this wait and no more are found
//     eligible()           returns which tasks may run on top of the wait (policy.h: Waiter)
//
// and the members that the Host requires.
//
// Before it spins or yields, the member looks once through all queues (a thorough look: policy.h).
// It falls asleep in this order: enter the sleepers; heavy fence; look for tasks once more
// ([sleep-1]); arm; check the condition; park. After a wake-up the order is: disarm; leave the
// sleepers; look again. A member that was woken for work counts as searching until it finds work or
// gives up; the last searcher wakes another member to continue the search if tasks are queued
// ([sleep-2]).
//
// [tasks-1] The first maker of tasks in a team announces tasks by a read-modify-write (seq_cst),
//           before it makes a task ready and looks for sleepers. A member that is about to sleep
//           enters the sleepers and then looks for the announcement (both seq_cst). If the member
//           does not see the announcement, the maker sees the member among the sleepers. The same
//           holds for a member that stops searching: either it sees the announcement, or the maker
//           sees that it no longer searches.
//
// If a member waits in a tied task, or if no task may run on top of its wait, it may be woken for
// work that it may not run. After such a futile wake-up the member sleeps for a limited time
// without being among the sleepers, so that makers of work do not wake it again and again for
// nothing. This time doubles with each sleep, from kFirstNap_ns to kLongestNap_ns (idle/limits.h).
//
// A wait ends on the worker on which it began, unless its context may move (task/moving.h).
//
// Host is the environment of the wait: task/waiting.h in the runtime, a model in the explorer.
// Worker, Member and Team are types of Host; they need the members that this file uses. Host also
// has:
//
//     void run(Worker&, Task&)          runs a task to its end
//     bool holds_ends(Worker&)          true if the worker holds back the ends of tasks (task/ends.h)
//     bool ends_decide(Worker&)         true if reporting these ends may make a task of higher
//                                       precedence ready, or may let such a task continue
//     bool ends_alike(Worker&, Task&)   true if the end of this task would be held back, too, to be
//                                       reported together with the ends held back so far
//     void pass_on_ends(Worker&)        reports the ends that the worker holds back
//     void park(Worker&, nap_ns)        sleeps until notified, or for nap_ns at most unless that is 0
//     ticks, spin_ticks, try_yield, yielding_pays, has_spun: for Pace
//
// and, to say what the wait may do:
//
//     bool own_tasks_first(Worker&, condition)  true if the context's own tasks go before all others
//     Row row(Worker&, condition)               returns what the wait may do (choice.h)
//     void see(Worker&, Seen&)                  fills in the ready contexts and the priorities
//     Other                                     a type: something to do on another context, or nothing
//     find_other(Worker&, condition, act, look, above)  returns an Other for `act`; a task that starts
//                                               has a priority above `above`, unless that is kNoLevel
//     before_sleep(Worker&, condition)          is called before the last look
//     has_offers(team)                          true if a member should be woken that may resume a
//                                               context which any member may resume
//     find_unnotified(Worker&, condition)       in an orphaned team: a context that no thread will notify
//     go_to_other(Worker&, condition, Other)    returns, when the wait has its turn again, the worker
//                                               on which it goes on
#pragma once

#include <algorithm>
#include <cstdint>

#include "idle/pace.h"
#include "sched/choice.h"
#include "sched/scheduler.h"

namespace teff::sched {

template <class Host> class WaitOver {
  public:
    using Atomics = typename Host::Atomics;
    using Worker = typename Host::Worker;
    using Task = typename Host::Task;

    // Takes a task that the worker may run on top of this wait, and returns it. Returns null if it
    // finds none.
    template <class Condition>
    [[nodiscard]] static Task* next_task(Worker& worker, Condition& condition, Look look = Look::kBrief) {
        if (Task* const own = take_own(worker, condition)) return own;
        return worker.member->team->has_tasks.load(std::memory_order_relaxed) ? take_other(worker, condition, look)
                                                                              : nullptr;
    }

    // Returns when the condition holds. In an orphaned team (the process was forked in this region)
    // perhaps no thread is left to make the condition hold; then it returns when there is nothing
    // to run.
    template <class Condition> void until(Worker& first, Condition& condition) {
        Worker* worker = &first;
        while (!condition.over()) {
            Next next = find_next(*worker, condition);
            if (next.nothing()) next = pass_time(*worker, condition);
            if (next.task != nullptr) {
                worked_ = true;
                stop_searching(*worker);
                run_all_alike(*worker, *next.task, condition);
            } else if (next.other) {
                worked_ = true;
                stop_searching(*worker);
                worker = &Host::go_to_other(*worker, condition, next.other);
            } else if (TEFF_UNLIKELY(orphaned_)) {
                const auto other = Host::find_unnotified(*worker, condition);
                if (!other) return;
                worker = &Host::go_to_other(*worker, condition, other);
            }
        }
        stop_searching(*worker);
    }

  private:
    // A task to run on top of the wait, or something to do on another context.
    struct Next {
        Task* task = nullptr;
        typename Host::Other other = {};
        bool nothing() const { return task == nullptr && !other; }
    };

    template <class Condition> static Task* take_own(Worker& worker, Condition& condition) {
        auto& member = *worker.member;
        return static_cast<Task*>(member.team->ready.take_own(member.lane, condition.eligible()));
    }
    template <class Condition> static Task* take_other(Worker& worker, Condition& condition, Look look) {
        auto& member = *worker.member;
        return static_cast<Task*>(member.team->ready.take_any(member.lane, condition.eligible(), look));
    }

    // HOT taskwait. Returns the worker's next activity. Tries first the case that choose() nearly
    // always selects.
    template <class Condition> static Next find_next(Worker& worker, Condition& condition, Look look = Look::kBrief) {
        if (TEFF_LIKELY(Host::own_tasks_first(worker, condition)))
            if (Task* const own = take_own(worker, condition)) return {.task = own};
        return find_by_rules(worker, condition, look);
    }

    template <class Condition>
    [[gnu::noinline]] static Next find_by_rules(Worker& worker, Condition& condition, Look look) {
        const Row row = Host::row(worker, condition);
        Seen seen;
        Host::see(worker, seen);
        may_find(worker, seen);
        for (;;) {
            const Act act = choose(row, seen);
            const std::int32_t above = TEFF_LIKELY(seen.ready == kNoLevel) ? kNoLevel : level_to_exceed(row, seen);
            switch (act) {
            case Act::kRunOwn:
                if (Task* const task = TEFF_LIKELY(above == kNoLevel) ? take_own(worker, condition)
                                                                      : take_above(worker, condition, above))
                    return {.task = task};
                seen.own = false;
                break;
            case Act::kRunOther:
                if (Task* const task = TEFF_LIKELY(above == kNoLevel) ? take_other(worker, condition, look)
                                                                      : take_above(worker, condition, above))
                    return {.task = task};
                seen.others = false;
                break;
            case Act::kResume:
                if (const auto other = Host::find_other(worker, condition, act, look, above)) return {.other = other};
                if (seen.ready < seen.queued) may_find(worker, seen); // it has looked for tasks above only
                seen.ready = kNoLevel;
                break;
            case Act::kStartHigher:
            case Act::kStart:
                if (const auto other = Host::find_other(worker, condition, act, look, above)) return {.other = other};
                (act == Act::kStart ? seen.unrelated : seen.higher) = false;
                break;
            case Act::kReturn:
            case Act::kIdle:
                return {};
            }
        }
    }

    static void may_find(Worker& worker, Seen& seen) {
        seen.own = seen.others = seen.unrelated = seen.higher =
            worker.member->team->has_tasks.load(std::memory_order_relaxed);
    }

    // Takes any task of a priority above `level` that may run on top of this wait.
    template <class Condition>
    TEFF_COLD static Task* take_above(Worker& worker, Condition& condition, std::int32_t level) {
        auto& member = *worker.member;
        return static_cast<Task*>(member.team->ready.take_above(member.lane, condition.eligible(), level));
    }

    // Runs the task. As long as the worker holds back ends of tasks, takes and runs further tasks.
    template <class Condition> static void run_all_alike(Worker& worker, Task& first, Condition& condition) {
        Host::run(worker, first);
        while (TEFF_UNLIKELY(Host::holds_ends(worker))) {
            Task* const next = next_with_same_end(worker, condition);
            if (next == nullptr) break;
            Host::run(worker, *next);
        }
    }

    // Returns the next task. Returns null if the wait is not to continue, or if there is no task.
    // Passes on the ends that the worker holds back, unless the next task's end can be held back
    // together with them. If one of these ends may decide which task comes next, passes them on
    // before the choice.
    template <class Condition> TEFF_COLD static Task* next_with_same_end(Worker& worker, Condition& condition) {
        const bool goes_on =
            !Host::ends_decide(worker) && !condition.over() && Host::own_tasks_first(worker, condition);
        Task* const next = goes_on ? next_task(worker, condition) : nullptr;
        if (next == nullptr || !Host::ends_alike(worker, *next)) Host::pass_on_ends(worker);
        return next;
    }

    // Makes a thorough look, and returns the result if something was found; otherwise passes some
    // time, by a pause or a sleep. A member of a team of one sleeps without a pause, because no
    // other member can give it work.
    template <class Condition> Next pass_time(Worker& worker, Condition& condition) {
        if (TEFF_UNLIKELY(Host::holds_ends(worker))) Host::pass_on_ends(worker); // ends from before the wait
        if (worked_) {
            begin_idling(condition);
            if (const Next next = find_next(worker, condition, Look::kThorough); !next.nothing()) return next;
            if (condition.over()) return {};
        }
        if (worker.team_size != 1 && look_again(worker)) {
            Atomics::cpu_relax();
            return {};
        }
        return sleep(worker, condition);
    }

    template <class Condition> void begin_idling(Condition& condition) {
        worked_ = false;
        nap_ns_ = 0;
        pace_.begin();
        condition.ran_out();
    }

    [[gnu::noinline]] bool look_again(Worker& worker) { return pace_.keep_looking(worker); }

    template <class Condition> TEFF_COLD Next sleep(Worker& worker, Condition& condition) {
        auto& team = *worker.member->team;
        if (TEFF_UNLIKELY(team.orphaned)) {
            orphaned_ = true;
            return {};
        }
        auto& sleepers = team.ready.sleepers();
        const unsigned me = worker.member->number;
        // The member was woken for work that it may not run.
        const bool futile = searching_ && (condition.eligible().constrained() || !Host::row(worker, condition).on_top);
        stop_searching(worker);
        Host::before_sleep(worker, condition);
        if (!futile) sleepers.enter(me);
        const Next next = last_look(worker, condition);
        if (next.nothing() && condition.try_arm()) {
            if (!condition.over()) Host::park(worker, futile ? next_nap() : 0);
            condition.disarm();
        }
        if (!futile) searching_ = !sleepers.leave(me);
        pace_.sleep_is_over(worker);
        return next;
    }

    template <class Condition> Next last_look(Worker& worker, Condition& condition) {
        auto& team = *worker.member->team;
        if (!team.has_tasks.load(std::memory_order_seq_cst))          // [tasks-1]
            return find_by_rules(worker, condition, Look::kThorough); // finds ready contexts only
        team.ready.sleepers().fence_before_look();                    // [sleep-1]
        return find_next(worker, condition, Look::kThorough);
    }

    std::uint64_t next_nap() {
        nap_ns_ = nap_ns_ == 0 ? idle::kFirstNap_ns : std::min(2 * nap_ns_, idle::kLongestNap_ns);
        return nap_ns_;
    }

    void stop_searching(Worker& worker) {
        if (TEFF_UNLIKELY(searching_)) pass_search_on(worker);
    }
    // Called before the member enters the sleepers; otherwise it might wake itself instead of
    // another member.
    TEFF_COLD void pass_search_on(Worker& worker) {
        searching_ = false;
        auto& team = *worker.member->team;
        auto& sleepers = team.ready.sleepers();
        if (!sleepers.stop_searching() || !team.has_tasks.load(std::memory_order_seq_cst)) return; // [tasks-1]
        sleepers.fence_before_look();                                                              // [sleep-2]
        if (!team.ready.looks_drained() || Host::has_offers(team)) team.ready.wake_one();
    }

    idle::PaceOver<Host> pace_;
    std::uint64_t nap_ns_ = 0;
    bool worked_ = false;    // the member has worked since it last ran out of work
    bool searching_ = false; // the member was woken for work, and has neither found work nor given up
    bool orphaned_ = false;
};

} // namespace teff::sched
