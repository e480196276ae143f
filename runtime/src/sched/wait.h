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
//
// Falling asleep, in this order: enter the sleepers; arm; heavy fence; look for tasks once more
// ([sleep-1]); park. Waking: disarm, leave the sleepers, look again. A member that another woke for
// work counts as searching until it finds some or gives up; the last searcher passes the duty on
// ([sleep-2]).
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
//     bool holds_ends(Worker&)          it has kept ends of tasks to itself (task/ends.h):
//     bool ends_alike(Worker&, Task&)   would the end of this one be kept with them?
//     void pass_on_ends(Worker&)
//     void park(Worker&, nap_ns)        sleeps until it is notified; for so long at most, unless 0
//     ticks, spin_ticks, try_yield, yielding_pays, yield_while_spinning: for Pace
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
            Task* task = next_task(*worker, condition);
            if (task == nullptr) task = pass_time(*worker, condition);
            if (task != nullptr) {
                worked_ = true;
                stop_searching(*worker);
                worker = &run_all_alike(*worker, *task, condition);
            } else if (TEFF_UNLIKELY(orphaned_)) {
                return;
            }
        }
        stop_searching(*worker);
    }

  private:
    static constexpr std::uint64_t kFirstNap_ns = 20'000, kLongestNap_ns = 10'000'000;

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
        Task* const next = condition.over() ? nullptr : next_task(worker, condition);
        if (next == nullptr || !Host::ends_alike(worker, *next)) Host::pass_on_ends(worker);
        return next;
    }

    // Lets some time pass, by a pause or by a sleep. Returns a task if the last look before
    // sleeping found one.
    template <class Condition> Task* pass_time(Worker& worker, Condition& condition) {
        if (worked_) begin_idling(condition);
        if (TEFF_UNLIKELY(Host::holds_ends(worker))) Host::pass_on_ends(worker); // of before the wait
        if (look_again(worker)) {
            Atomics::cpu_relax();
            return nullptr;
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

    template <class Condition> TEFF_COLD Task* sleep(Worker& worker, Condition& condition) {
        auto& team = *worker.member->team;
        if (TEFF_UNLIKELY(team.orphaned)) {
            orphaned_ = true;
            return nullptr;
        }
        auto& sleepers = team.ready.sleepers();
        const unsigned me = worker.member->number;
        const bool futile = searching_ && condition.eligible().constrained(); // woken for work that it may not run
        stop_searching(worker);
        if (!futile) sleepers.enter(me);
        Task* task = nullptr;
        if (condition.try_arm()) {
            task = last_look(worker, condition);
            if (task == nullptr && !condition.over()) Host::park(worker, futile ? next_nap() : 0);
            condition.disarm();
        }
        if (!futile) searching_ = !sleepers.leave(me);
        pace_.sleep_is_over(worker);
        return task;
    }

    template <class Condition> Task* last_look(Worker& worker, Condition& condition) {
        auto& team = *worker.member->team;
        if (!team.has_tasks.load(std::memory_order_seq_cst)) return nullptr; // [tasks-1]
        team.ready.sleepers().fence_before_last_look();                      // [sleep-1]
        return next_task(worker, condition, Look::kThorough);
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
