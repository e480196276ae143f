// SPDX-License-Identifier: Apache-2.0
//
// The task scheduling constraints (OpenMP 5.2, section 12.9): which task may start on a thread.
//
// A tied task may start on a thread only if it descends from every tied task that the thread has
// begun and not ended, except those at a barrier. So the tied tasks of a thread form a chain: each
// descends from the one before it, and a new task need only descend from the innermost. Teff
// requires the same of untied tasks. Then every task that starts while a tied task waits descends
// from the tied task, and so do the children of every such task, without a proof. TEFF_TSC=relaxed
// requires nothing, nor does Teff where it preempts the program's own tasks (decision 0035).
//
// One case is an exception: a task that is preempted (TEFF_PREEMPT=on) gives way to an untied task
// of a higher priority that does not descend from it. The tied children of this untied task run on
// top of the untied task. Otherwise the preempted task and the untied task could wait for each
// other.
//
// Undeferred tasks are exempt, and count as a part of their creator.
//
// The innermost tied task lies on the context that the thread is on, or on a context that the
// thread has left. The tied tasks on left contexts are noted in TiedWaits, innermost first
// (Member::tied):
//
//     task begins ──its context is left──> noted ──it has ended──> forgotten
//
// A note is made when a context is left; it names the innermost tied task on this context. When
// this task has ended, the note is forgotten at the next decision on that context, or when the
// context ends.
//
// A context is barred if it began before the innermost tied task did, and is not the context on
// which that task lies. Nothing may start on a barred context: neither on top of a wait there, nor
// a task that the context's own tasks have created, as none of these tasks descends from the
// innermost tied task. Nor do descendants of the innermost tied task run there. So every task in
// the queue of a context descends from all tied tasks that are innermost while the context may run
// it. A task that waits on a barred context with tasks in its queue goes on when the note that bars
// the context is forgotten (TiedWait::barred).
//
// Why no task waits for ever. This holds if a stack is left and no waiting task holds a lock
// (docs/abi.md says what may happen with locks). Take a state in which nothing moves. Of all tied
// tasks that wait, let T be the one that began last. What T waits for in the end is a queued task Q
// that descends from T. Q was queued after T began, on a context of some thread. Let S be the
// innermost tied task of that thread; S began no later than T. There are three cases.
//
// If the context of Q is not barred, it is not older than S, or S lies on it. So Q and all tasks
// above Q in the queue were put there after S began: else Q's creator, which is T or descends from
// T, would have begun before S. All of them descend from S, by the mark of S if S lies on this
// context, and by the rule for contexts otherwise. So a tied task that waits on this context runs
// the newest of them on top, and the next, until it runs Q. An untied task that waits there, or on
// another context of the thread, starts the newest of them on a stack of its own, and the next.
//
// If the context of Q is barred by a tied task S, then Q was created by a task of a context that is
// older than S. The creator of Q descends from T, so the creator began after T, and S began after
// the creator. That S began after T contradicts the choice of T.
//
// If Q lies on no context, as a thread outside of the team has made Q ready, then a wait on a
// barred context starts Q on a stack of its own.
//
// If no stack is left, the worker goes from a barred context back to T's context, and Q runs on top
// of T.
//
// Only the worker's own thread uses these functions and this data.
#pragma once

#include "icv/icv.h"
#include "preempt/hold.h"
#include "task/descent.h"
#include "team/team.h"

namespace teff::task {

// The constraint that holds for the context that the worker is on.
struct Constraint {
    const Task* tied = nullptr; // the innermost tied task: what starts descends from it; null: none
    bool barred = false;        // true if nothing may start that this context's tasks have created
};

TEFF_COLD Constraint constraint_beside_others(team::Worker& worker); // constraint.cpp

// Returns the innermost tied task on the current context; null if the context has none, or if this
// task waits at a barrier.
inline const Task* innermost_tied(const team::Worker& worker) {
    const Task* task = worker.task;
    while ((task->flags & (kUntied | kUndeferred)) != 0)
        task = task->below();
    if ((task->flags & kImplicit) == 0) return task;
    const bool is_elsewhere = worker.context->started_for == worker.member; // the bottom of this stack
    return is_elsewhere || (task->flags & kWaitsOutside) != 0 ? nullptr : task;
}

// Without TEFF_TSC, as decision 0035 says.
inline bool is_relaxed() {
    const icv::TaskConstraints set = icv::global().task_constraints;
    return set == icv::TaskConstraints::relaxed ||
           (set == icv::TaskConstraints::automatic && preempt::leaves_program());
}

inline Constraint constraint_on(team::Worker& worker) {
    if (TEFF_UNLIKELY(worker.member->tied != nullptr)) return constraint_beside_others(worker);
    return is_relaxed() ? Constraint{} : Constraint{.tied = innermost_tied(worker)};
}
inline bool is_barred(team::Worker& worker) {
    return TEFF_UNLIKELY(worker.member->tied != nullptr) && constraint_beside_others(worker).barred;
}

// Called when the worker leaves its context. Notes the context's innermost tied task.
TEFF_COLD void note_tied(team::Worker& worker);
// Called when the worker leaves its context for good. Forgets the notes of the context.
TEFF_COLD void forget_tied(team::Worker& worker);
// Called when the worker's task waits on a barred context, with tasks of its own queued, and the
// worker is about to leave. The context becomes ready when it is no longer barred, unless it has
// been notified before.
TEFF_COLD void await_end_of_bar(team::Worker& worker);
TEFF_COLD void stop_awaiting_end_of_bar(team::Context& context);

// Admits every task of the worker's team that may start on the worker's thread, while the current
// task waits.
class MayStart {
  public:
    explicit MayStart(team::Worker& worker) : MayStart(constraint_on(worker)) {}
    explicit MayStart(const Constraint& constraint) : tied_(constraint.tied) {}

    bool constrained() const { return tied_ != nullptr; }
    bool operator()(const sched::Runnable* runnable) const {
        return tied_ == nullptr || descends(*static_cast<const Task*>(runnable), *tied_);
    }

  private:
    const Task* tied_;
};

// Admits the tasks that may start while the current task is preempted: also all untied tasks.
class MayStartBeside : public MayStart {
  public:
    using MayStart::MayStart;

    bool operator()(const sched::Runnable* runnable) const {
        return (static_cast<const Task*>(runnable)->clauses & kUntied) != 0 || MayStart::operator()(runnable);
    }
};

} // namespace teff::task
