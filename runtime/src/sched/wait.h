// SPDX-License-Identifier: Apache-2.0
//
// Wait: how a member of a team waits, whatever it waits for.
//
// While its condition does not hold, it does what choice.h answers: it runs tasks that may run on
// top of it, or leaves its stack to the member's current task and goes on elsewhere, until it comes
// back (task/suspend.h). When it finds nothing it passes some time (idle/pace.h), and then sleeps
// until the awaited event or new work wakes it. Barrier, join, taskwait, taskgroup, dependences,
// detached events and the workers that linger between regions all wait so, each with a condition
// of its own. Workers in no team sleep by their inbox instead (team/inbox.h).
//
//     bool over()          does it hold? Called often.
//     bool try_arm()       asks whoever brings it about to notify this wait; false: it holds already
//     void disarm()        takes that back, if it still stands
//     void ran_out()       tasks have been run in this wait, and there are none any more
//     eligible()           which tasks may run on top of it meanwhile (policy.h says what that answers)
//
// and what the Host asks it.
//
// It looks thoroughly once before it passes any time. Falling asleep, in this order: enter the
// sleepers; heavy fence; look for tasks once more ([sleep-1]); arm; look at the condition; park.
// Waking: disarm, leave the sleepers, look again. A member that another woke for work counts as
// searching until it finds some or gives up; the last searcher passes the duty on ([sleep-2]).
//
// [tasks-1] The first maker of a team says that there are tasks by a read-modify-write (seq_cst),
//           before it makes one ready and looks for sleepers. A would-be sleeper enters and then
//           looks (both seq_cst): if it finds no tasks, that maker finds it among the sleepers.
//
// A wait in a tied task may be woken for work that it may not run. After such a futile look it
// sleeps for a while without being among the sleepers, longer each time (kFirstNap_ns doubling to
// kLongestNap_ns, idle/limits.h), so that makers of work do not wake it over and over for nothing.
//
// A wait goes on in the worker that began it: its context never changes that.
//
// Host is what is around the wait: task/waiting.h in the runtime, a model in the explorer.
// Worker, Member and Team are its types; what they must have is what is used here. Beyond that:
//
//     void run(Worker&, Task&)          runs a task to its end
//     bool holds_ends(Worker&)          it has kept ends of tasks to itself (task/ends.h):
//     bool ends_alike(Worker&, Task&)   would the end of this one be kept with them?
//     void pass_on_ends(Worker&)
//     void park(Worker&, nap_ns)        sleeps until it is notified; for so long at most, unless 0
//     ticks, spin_ticks, try_yield, yielding_pays, has_spun: for Pace
//
// and, for what the wait may do:
//
//     bool own_tasks_first(Worker&)     nothing goes before tasks of its own, and those may run
//     Row row(Worker&, condition)       what it may do
//     void see(Worker&, Seen&)          what is ready, and the priorities
//     Other                             something to do on another context, or nothing
//     find_other(Worker&, condition, act, look)
//     find_unnotified(Worker&, condition)      in an orphaned team: one that nobody will notify
//     go_to_other(Worker&, condition, Other)   returns when the wait has its turn again
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

    // Which task the worker may run on top of this wait; null if there is none.
    template <class Condition>
    [[nodiscard]] static Task* next_task(Worker& worker, Condition& condition, Look look = Look::kBrief) {
        if (Task* const own = take_own(worker, condition)) return own;
        return worker.member->team->has_tasks.load(std::memory_order_relaxed) ? take_other(worker, condition, look)
                                                                              : nullptr;
    }

    // Returns when the condition holds; or, if nobody is left who could bring that about (the
    // process was forked in this region), when there is nothing to run.
    template <class Condition> void until(Worker& worker, Condition& condition) {
        while (!condition.over()) {
            Next next = find_next(worker, condition);
            if (next.nothing()) next = pass_time(worker, condition);
            if (next.task != nullptr) {
                worked_ = true;
                stop_searching(worker);
                run_all_alike(worker, *next.task, condition);
            } else if (next.other) {
                worked_ = true;
                stop_searching(worker);
                Host::go_to_other(worker, condition, next.other);
            } else if (TEFF_UNLIKELY(orphaned_)) {
                const auto other = Host::find_unnotified(worker, condition);
                if (!other) return;
                Host::go_to_other(worker, condition, other);
            }
        }
        stop_searching(worker);
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

    // HOT taskwait. What choose() would answer nearly always comes first.
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
        seen.own = seen.others = seen.unrelated = seen.higher =
            worker.member->team->has_tasks.load(std::memory_order_relaxed);
        for (;;) {
            const Act act = choose(row, seen);
            switch (act) {
            case Act::kRunOwn:
                if (Task* const task = take_own(worker, condition)) return {.task = task};
                seen.own = false;
                break;
            case Act::kRunOther:
                if (Task* const task = take_other(worker, condition, look)) return {.task = task};
                seen.others = false;
                break;
            case Act::kResume:
            case Act::kStartHigher:
            case Act::kStart:
                if (const auto other = Host::find_other(worker, condition, act, look)) return {.other = other};
                (act == Act::kStart ? seen.unrelated : seen.higher) = false;
                if (act == Act::kResume) seen.ready = kNoLevel;
                break;
            case Act::kReturn:
            case Act::kIdle:
                return {};
            }
        }
    }

    // Runs the task, and as long as ends are kept the next one with the same.
    template <class Condition> static void run_all_alike(Worker& worker, Task& first, Condition& condition) {
        Host::run(worker, first);
        while (TEFF_UNLIKELY(Host::holds_ends(worker))) {
            Task* const next = next_with_same_end(worker, condition);
            if (next == nullptr) break;
            Host::run(worker, *next);
        }
    }

    // The next task, if the wait is to go on. Ends that are not of its kind are passed on.
    template <class Condition> TEFF_COLD static Task* next_with_same_end(Worker& worker, Condition& condition) {
        const bool goes_on = !condition.over() && Host::own_tasks_first(worker, condition);
        Task* const next = goes_on ? next_task(worker, condition) : nullptr;
        if (next == nullptr || !Host::ends_alike(worker, *next)) Host::pass_on_ends(worker);
        return next;
    }

    // Lets some time pass, by a pause or by a sleep. Returns what the last look before sleeping has
    // found. A member alone has nobody to wait for: it sleeps at once.
    template <class Condition> Next pass_time(Worker& worker, Condition& condition) {
        if (TEFF_UNLIKELY(Host::holds_ends(worker))) Host::pass_on_ends(worker); // of before the wait
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
        const bool futile = searching_ && condition.eligible().constrained(); // woken for work that it may not run
        stop_searching(worker);
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
            return find_by_rules(worker, condition, Look::kThorough); // ready contexts alone
        team.ready.sleepers().fence_before_last_look();               // [sleep-1]
        return find_next(worker, condition, Look::kThorough);
    }

    std::uint64_t next_nap() {
        nap_ns_ = nap_ns_ == 0 ? idle::kFirstNap_ns : std::min(2 * nap_ns_, idle::kLongestNap_ns);
        return nap_ns_;
    }

    void stop_searching(Worker& worker) {
        if (TEFF_UNLIKELY(searching_)) pass_search_on(worker);
    }
    TEFF_COLD void pass_search_on(Worker& worker) {
        searching_ = false;
        auto& ready = worker.member->team->ready;
        if (ready.sleepers().stop_searching() && !ready.looks_drained()) ready.wake_one(); // [sleep-2]
    }

    idle::PaceOver<Host> pace_;
    std::uint64_t nap_ns_ = 0;
    bool worked_ = false;    // since it last ran out
    bool searching_ = false; // woken for work, and neither found some nor given up
    bool orphaned_ = false;
};

} // namespace teff::sched
