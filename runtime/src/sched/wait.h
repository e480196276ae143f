// SPDX-License-Identifier: Apache-2.0
//
// Wait: how a member of a team waits, whatever it waits for.
//
// While its condition does not hold, it runs tasks that may run on top of it; when it finds none it
// passes some time (pace.h), and then sleeps until the awaited event or new work wakes it. Barrier,
// join, taskwait, taskgroup, dependences, detached events and the pool's idle workers all wait so,
// each with a condition of its own:
//
//     bool over()          does it hold? Called often.
//     bool try_arm()       asks whoever brings it about to notify this wait; false: it holds already
//     void disarm()        takes that back, if it still stands
//     void ran_out()       tasks have been run in this wait, and there are none any more
//     eligible()           which tasks may run meanwhile (policy.h says what that answers)
//     kNothingOnTop        if it is declared: none may run on top of the wait
//     find_higher()        if it is declared: what goes before those that may run on top, for its priority
//     kAllBeside           if it is declared: those run by its side, as it does not wait for their ends
//
// What may not run on top of it, it runs by its side, if the Host can: the wait leaves its stack to
// the member's current task, and the worker goes on elsewhere until it comes back (task/suspend.h).
// Tasks that can go on have precedence over those that start.
//
// Falling asleep, in this order: enter the sleepers; heavy fence; look for tasks once more
// ([sleep-1]); arm; look at the condition; park. Waking: disarm, leave the sleepers, look again. A
// member that another woke for work counts as searching until it finds some or gives up; the last
// searcher passes the duty on ([sleep-2]).
//
// [tasks-1] The first maker of a team says that there are tasks by a read-modify-write (seq_cst),
//           before it makes one ready and looks for sleepers. A would-be sleeper enters and then
//           looks (both seq_cst): if it finds no tasks, that maker finds it among the sleepers.
//
// A wait in a tied task may be woken for work that it may not run. After such a futile look it
// sleeps for a while without being among the sleepers, longer each time (kFirstNap_ns doubling to
// kLongestNap_ns), so that makers of work do not wake it over and over for nothing.
//
// A task may bring the wait to another worker: it goes on with the one that Host::run returns, and
// keeps none across a task.
//
// Host is what is around the wait: task/waiting.h in the runtime, a model in the explorer.
// Worker, Member and Team are its types; what they must have is what is used here. Beyond that:
//
//     Worker& run(Worker&, Task&)       runs a task to its end; answers with the worker that goes on
//     void run_beside(Worker&, Task&)   returns when the task has ended, or waits; at once, if it can
//     bool holds_ends(Worker&)          it has kept ends of tasks to itself (task/ends.h):
//     bool ends_alike(Worker&, Task&)   would the end of this one be kept with them?
//     void pass_on_ends(Worker&)
//     void park(Worker&, nap_ns)        sleeps until it is notified; for so long at most, unless 0
//     ticks, spin_ticks, try_yield, yielding_pays, yield_while_spinning: for Pace
//
// and, for what runs by the side of a wait:
//
//     Other                             something to do there, or nothing
//     others_first(Worker&)             is there a task that can go on, and goes before those that start?
//     find_other(Worker&, condition, look)
//     go_to_other(Worker&, condition, Other)   returns when the wait has its turn again
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/pace.h"
#include "sched/scheduler.h"

namespace teff::sched {

template <class Host> class WaitOver {
  public:
    using Atomics = typename Host::Atomics;
    using Worker = typename Host::Worker;
    using Task = typename Host::Task;

    // Which task the worker may run next under this condition; null if there is none.
    template <class Condition>
    [[nodiscard]] static Task* next_task(Worker& worker, Condition& condition, Look look = Look::kBrief) {
        if constexpr (requires { Condition::kNothingOnTop; }) return nullptr;
        auto& member = *worker.member;
        auto& team = *member.team;
        const auto eligible = condition.eligible();
        if (Runnable* own = team.ready.take_own(member.lane, eligible)) return static_cast<Task*>(own);
        if (!team.has_tasks.load(std::memory_order_relaxed)) return nullptr;
        return static_cast<Task*>(team.ready.take_any(member.lane, eligible, look));
    }

    // Returns when the condition holds; or, if nobody is left who could bring that about (the
    // process was forked in this region), when there is nothing to run.
    template <class Condition> void until(Worker& begun_by, Condition& condition) {
        Worker* worker = &begun_by;
        while (!condition.over()) {
            Next next = find_next(*worker, condition);
            if (next.nothing()) next = pass_time(*worker, condition);
            if (next.task != nullptr) {
                worked_ = true;
                stop_searching(*worker);
                worker = &run_as_allowed(*worker, *next.task, condition);
            } else if (next.other) {
                worked_ = true;
                stop_searching(*worker);
                Host::go_to_other(*worker, condition, next.other);
            } else if (TEFF_UNLIKELY(orphaned_)) {
                return;
            }
        }
        stop_searching(*worker);
    }

  private:
    // A task to run on top of the wait, or something to do by its side.
    struct Next {
        Task* task = nullptr;
        typename Host::Other other = {};
        bool nothing() const { return task == nullptr && !other; }
    };

    template <class Condition> static Next find_next(Worker& worker, Condition& condition, Look look = Look::kBrief) {
        if (TEFF_UNLIKELY(Host::others_first(worker)))
            if (const auto other = Host::find_other(worker, condition, look)) return {.other = other};
        if constexpr (requires { condition.find_higher(); })
            if (const auto other = condition.find_higher()) return {.other = other};
        if (Task* const task = next_task(worker, condition, look)) return {.task = task};
        return {.other = Host::find_other(worker, condition, look)};
    }

    static constexpr std::uint64_t kFirstNap_ns = 20'000, kLongestNap_ns = 10'000'000;

    template <class Condition> Worker& run_as_allowed(Worker& taker, Task& task, Condition& condition) {
        if constexpr (requires { Condition::kAllBeside; }) {
            Host::run_beside(taker, task);
            return taker;
        } else {
            return run_all_alike(taker, task, condition);
        }
    }

    // Runs the task, and as long as ends are kept the next one with the same.
    template <class Condition> Worker& run_all_alike(Worker& taker, Task& first, Condition& condition) {
        Worker* worker = &Host::run(taker, first);
        while (TEFF_UNLIKELY(Host::holds_ends(*worker))) {
            Task* const next = next_with_same_end(*worker, condition);
            if (next == nullptr) break;
            worker = &Host::run(*worker, *next);
        }
        return *worker;
    }

    // The next task, if the wait is to go on. Ends that are not of its kind are passed on.
    template <class Condition> TEFF_COLD static Task* next_with_same_end(Worker& worker, Condition& condition) {
        const bool goes_on = !condition.over() && !Host::others_first(worker);
        Task* const next = goes_on ? next_task(worker, condition) : nullptr;
        if (next == nullptr || !Host::ends_alike(worker, *next)) Host::pass_on_ends(worker);
        return next;
    }

    // Lets some time pass, by a pause or by a sleep. Returns what the last look before sleeping has
    // found.
    template <class Condition> Next pass_time(Worker& worker, Condition& condition) {
        if (worked_) begin_idling(condition);
        if (TEFF_UNLIKELY(Host::holds_ends(worker))) Host::pass_on_ends(worker); // of before the wait
        if (look_again(worker)) {
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
        if (!team.has_tasks.load(std::memory_order_seq_cst)) // [tasks-1]
            return {.other = Host::find_other(worker, condition, Look::kThorough)};
        team.ready.sleepers().fence_before_last_look(); // [sleep-1]
        return find_next(worker, condition, Look::kThorough);
    }

    std::uint64_t next_nap() {
        nap_ns_ = nap_ns_ == 0 ? kFirstNap_ns : std::min(2 * nap_ns_, kLongestNap_ns);
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

    PaceOver<Host> pace_;
    std::uint64_t nap_ns_ = 0;
    bool worked_ = false;    // since it last ran out
    bool searching_ = false; // woken for work, and neither found some nor given up
    bool orphaned_ = false;
};

} // namespace teff::sched
