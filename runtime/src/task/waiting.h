// SPDX-License-Identifier: Apache-2.0
//
// Waiting in the runtime: the Host of sched/wait.h, for workers, their teams and their tasks.
#pragma once

#include "idle/yield.h"
#include "sched/wait.h"
#include "task/run.h"
#include "task/suspend.h"

namespace teff::task {

struct WaitHost {
    using Atomics = base::RealAtomics;
    using Worker = team::Worker;
    using Task = task::Task;
    using Other = task::Other;

    static void run(Worker& worker, Task& task) { run_taken(worker, task); }
    static bool holds_ends(const Worker& worker) { return worker.ends.tasks != 0; }
    static bool ends_alike(const Worker& worker, const Task& task) { return task::ends_alike(worker, task); }
    static void pass_on_ends(Worker& worker) { task::pass_on_ends(worker); }
    static bool ends_decide(const Worker& worker) {
        return worker.member->suspended != nullptr || worker.member->team->ready.raised() > 0 || contexts_move();
    }

    template <class Condition> static bool own_tasks_first(Worker& worker, const Condition&) {
        const team::Member& member = *worker.member;
        return Condition::kKind != WaitKind::kForLock && TEFF_LIKELY(!member.ready.any()) &&
               TEFF_LIKELY(member.tied == nullptr) && TEFF_LIKELY(member.team->ready.raised() <= 0);
    }
    template <class Condition> static sched::Row row(Worker& worker, const Condition&) {
        return row_of(worker, Condition::kKind);
    }
    static void see(Worker& worker, sched::Seen& seen) { task::see(worker, seen); }
    template <class Condition>
    static Other find_other(Worker& worker, const Condition&, sched::Act act, sched::Look look, std::int32_t above) {
        return task::find_other(worker, Condition::kKind, act, look, above);
    }
    template <class Condition> static Other find_unnotified(Worker& worker, const Condition&) {
        return Condition::kKind == WaitKind::kOutsideOfTasks ? task::find_unnotified(worker) : Other{};
    }
    template <class Condition> static Worker& go_to_other(Worker& worker, Condition& condition, const Other& other) {
        const team::Context& here = *worker.context;
        condition.go_to_other(condition, other);
        return here.worker();
    }
    template <class Condition> static void before_sleep(Worker& worker, const Condition&) {
        if (TEFF_UNLIKELY(preempt::is_on())) task::before_sleep(worker, Condition::kKind);
    }
    static bool has_offers(team::Team& team) { return team.moving.should_wake_another(); }

    static void ran_out(Worker& worker) {
        if (TEFF_UNLIKELY(worker.probes != 0)) events::ran_out(worker);
    }
    static void park(Worker& worker, std::uint64_t nap_ns);

    static base::Ticks ticks() { return base::ticks(); }
    static idle::SpinTicks spin_ticks() { return idle::spin_ticks(); }
    static bool yielding_pays() { return idle::yielding_pays(); }
    static bool try_yield() { return idle::try_yield(); }
    static void has_spun(base::Ticks before, base::Ticks now) { idle::has_spun(before, now); }
};

using Wait = sched::WaitOver<WaitHost>;

// Waits inside a task (conditions.h). Returns when the condition holds.
template <class Condition> inline void wait_until(team::Worker& worker, Condition condition) {
    Wait().until(worker, condition);
}

// A condition of a wait outside of tasks, at a barrier or between regions, together with the
// actions of the worker there: new tasks start on top of the wait, and suspended tasks continue on
// their own contexts.
template <class Condition> struct OutsideCondition : Condition {
    static constexpr WaitKind kKind = WaitKind::kOutsideOfTasks;

    team::Worker& waiting;

    static void go_to_other(OutsideCondition& condition, const Other& other) {
        leave_outside(condition.waiting, other);
    }
};

// Returns the phase of the team in which the condition is awaited.
template <class Condition> std::uint32_t phase_of(const Condition& condition, const team::Team& team) {
    if constexpr (requires { condition.eligible().phase(); }) return condition.eligible().phase();
    else return team.generation.load(std::memory_order_relaxed); // the leader's, which begins the phases
}

// Waits outside of tasks. Returns when the condition holds.
template <class Condition> inline void wait_outside(team::Worker& worker, const Condition& condition) {
    Task& implicit = *worker.member->implicit_task;
    implicit.flags |= kWaitsOutside;
    // The implicit task no longer counts as a tied task.
    if (TEFF_UNLIKELY(worker.member->tied != nullptr)) (void)constraint_beside_others(worker);
    if (TEFF_UNLIKELY(contexts_move())) worker.member->waits_in_phase = phase_of(condition, *worker.member->team);
    OutsideCondition<Condition> outside{condition, worker};
    Wait().until(worker, outside);
    implicit.flags &= ~kWaitsOutside;
}

} // namespace teff::task
