// SPDX-License-Identifier: Apache-2.0
//
// The task scheduling constraints (OpenMP 5.2, section 12.9): which task may start on a thread.
//
// A tied task may start on a thread only if it descends from every tied task that the thread has
// begun and not ended, except those at a barrier. So the tied tasks of a thread form a chain: each
// descends from the one before it, and the innermost counts for all. Teff requires the same of
// untied tasks. Then every task that starts while a tied task waits descends from it, and so do its
// children, without a proof. TEFF_TSC=relaxed requires nothing.
//
// There is one exception: a task that is preempted (TEFF_PREEMPT=on) gives way to an untied task of
// a higher priority that does not descend from it, and the tied children of that task run on top of
// it. Otherwise the two could wait for each other.
//
// Undeferred tasks are exempt, and count as a part of their creator.
//
// The innermost tied task lies on the context that the thread is on, or on one that it has left.
// Those that it has left are noted in TiedWaits, innermost first (Member::tied):
//
//     task begins ──its context is left──> noted ──it has ended──> forgotten
//
// A note is made when the context is left with that task as its innermost tied one. It is forgotten
// at the next decision on that context, or when the context ends.
//
// A context that began before the innermost tied task did, and that is not the one on which that
// task lies, is barred: nothing may start there, neither on top nor what its own tasks have
// created, as none of that descends from the innermost tied task. Nor do descendants of that task
// run there: so what lies in the queue of a context descends from all tied tasks that are
// innermost while it may run. A task that waits on a barred context with tasks in its queue goes
// on when the note that bars it is forgotten (TiedWait::barred).
//
// Why nothing waits for ever. Take the tied task T that began last of all that wait. What it waits
// for in the end is a queued task Q that descends from T. Q was queued after T began, on a context
// of some thread. If that context is not barred, whoever waits there runs Q, for Q lies above its
// mark, or above the mark of a task that began after Q was queued, so after T. If it is barred, by
// a tied task S, Q was created by a task of a context that is older than S; that task descends
// from T, so it began after T, and S after it. That S began after T contradicts the choice of T.
// If Q lies on no context, as a thread outside of the team has made it ready, a wait on a barred
// context starts it on a stack of its own; where no stack is left, the worker goes back to T's
// context, and Q runs on top of T.
//
// Only the worker's own thread touches any of this.
#pragma once

#include "icv/icv.h"
#include "task/descent.h"
#include "team/team.h"

namespace teff::task {

// What holds for the context that the worker is on.
struct Constraint {
    const Task* tied = nullptr; // the innermost tied task, from which descends what may start; null: none
    bool barred = false;        // nothing that this context's tasks have created may start
};

TEFF_COLD Constraint constraint_beside_others(team::Worker& worker); // constraint.cpp

// The innermost tied task on the current context; null if there is none, or it waits at a barrier.
inline const Task* innermost_tied(const team::Worker& worker) {
    const Task* task = worker.task;
    while ((task->flags & (kUntied | kUndeferred)) != 0)
        task = task->below();
    if ((task->flags & kImplicit) == 0) return task;
    const bool is_elsewhere = worker.context->started_for == worker.member; // at its bottom
    return is_elsewhere || (task->flags & kWaitsOutside) != 0 ? nullptr : task;
}

inline bool is_relaxed() { return icv::global().task_constraints == icv::TaskConstraints::relaxed; }

inline Constraint constraint_on(team::Worker& worker) {
    if (TEFF_UNLIKELY(worker.member->tied != nullptr)) return constraint_beside_others(worker);
    return is_relaxed() ? Constraint{} : Constraint{.tied = innermost_tied(worker)};
}
inline bool is_barred(team::Worker& worker) {
    return TEFF_UNLIKELY(worker.member->tied != nullptr) && constraint_beside_others(worker).barred;
}

// The worker leaves its context: notes its innermost tied task.
TEFF_COLD void note_tied(team::Worker& worker);
// The worker leaves its context for good.
TEFF_COLD void forget_tied(team::Worker& worker);
// The worker's task waits on a barred context, with tasks of its own queued, and is about to leave:
// the context becomes ready when it is barred no longer, if it has not been notified before.
TEFF_COLD void await_end_of_bar(team::Worker& worker);
TEFF_COLD void stop_awaiting_end_of_bar(team::Context& context);

// Any task of the worker's team that may start on its thread, while the task that is there waits.
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

// The same while it is preempted.
class MayStartBeside : public MayStart {
  public:
    using MayStart::MayStart;

    bool operator()(const sched::Runnable* runnable) const {
        return (static_cast<const Task*>(runnable)->clauses & kUntied) != 0 || MayStart::operator()(runnable);
    }
};

} // namespace teff::task
