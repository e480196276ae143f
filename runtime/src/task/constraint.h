// SPDX-License-Identifier: Apache-2.0
//
// The task scheduling constraints (OpenMP 5.2, section 12.9): they decide which task may start on a
// thread.
//
// A tied task may start on a thread only if it descends from every tied task that the thread has
// begun and not ended, except tied tasks at a barrier. So the tied tasks of a thread form a chain:
// each descends from the previous one, and it is enough that a new task descends from the
// innermost. Teff requires the same of untied tasks. Then every task that starts while a tied task
// waits descends from the tied task, and so do the children of every such task; no test is needed
// for these children. TEFF_TSC=relaxed lifts these requirements, and so does preemption of the
// program's own tasks (decision 0035).
//
// There is one exception: an untied task of a higher priority may start in place of a preempted
// task (TEFF_PREEMPT=on) from which it does not descend. The tied children of this untied task run
// on top of it. Otherwise the preempted task and the untied task could wait for each other. A
// program that is preempted by function has thread-local variables, so there is no such exception.
//
// Undeferred tasks are exempt: they count as a part of their creator. In a program that is
// preempted by function, tasks that reach no thread-local variable count as untied (kFree, decision
// 0040).
//
// The innermost tied task of a thread lies on the thread's current context, or on a context that
// the thread has left. The records of type TiedWait, the notes, name the tied tasks on the contexts
// that the thread has left. They form a list, innermost task first (Member::tied):
//
//     task begins ──its context is left──> noted ──it has ended──> removed
//
// When a context is left, a note of the innermost tied task on this context is made. When this task
// has ended, the note is removed at the next decision on that context, or when the context ends.
//
// A context is barred if it began before the innermost tied task began, and that task lies on
// another context. On a barred context, no task may start on top of a wait. Tasks that the
// context's own tasks have created must not start on this thread at all, because none of these
// tasks descends from the innermost tied task. Descendants of the innermost tied task do not run on
// a barred context either. So if a context may run a task from its queue, that task descends from
// the tied task that is innermost at that time. A task that waits on a barred context with tasks in
// its queue continues when the note that bars the context is removed (TiedWait::barred).
//
// Proof that no task waits for ever, provided that at least one free stack remains and that no
// waiting task holds a lock (docs/abi.md says what may happen with locks). Assume a state in which
// no task can make progress. Let T be the waiting tied task that began last. At the end of the
// chain of tasks for which T waits, directly or indirectly, there is a queued task Q that descends
// from T. Q was queued after T began, on a context of some thread. Let S be the innermost tied task
// of that thread; S began no later than T. There are three cases.
//
// Case 1: the context of Q is not barred. Then this context is not older than S, or S lies on it. Q
// and all tasks above Q in the queue were put there after S began: otherwise Q's creator, which is
// T or descends from T, would have begun before S. All these tasks descend from S: by the mark of S
// if S lies on this context, otherwise by the rule for contexts. So a tied task that waits on this
// context runs the newest of these tasks on top, then the next, until it runs Q. An untied task
// that waits there, or on another context of the thread, starts the newest of these tasks on a
// stack of its own, then the next.
//
// Case 2: the context of Q is barred by a tied task S. Then Q was created by a task on a context
// that is older than S. The creator of Q descends from T, so the creator began after T, and S began
// after the creator. So S began after T, which contradicts the choice of T.
//
// Case 3: Q lies on no context, because a thread outside of the team has made Q ready. Then a wait
// on a barred context starts Q on a stack of its own.
//
// If no free stack remains, the worker returns from a barred context to T's context, and Q runs on
// top of T.
//
// Only the worker's own thread uses these functions and this data.
#pragma once

#include "icv/icv.h"
#include "preempt/hold.h"
#include "task/descent.h"
#include "team/team.h"

namespace teff::task {

// The constraint that applies to the worker's current context.
struct Constraint {
    const Task* tied = nullptr; // the innermost tied task: tasks that start must descend from it; null: none
    bool barred = false;        // true if tasks that this context's tasks have created must not start
};

TEFF_COLD Constraint constraint_beside_others(team::Worker& worker); // constraint.cpp

// Returns the innermost tied task on the current context. Returns null if the context has none, or
// if that task waits at a barrier.
inline const Task* innermost_tied(const team::Worker& worker) {
    const Task* task = worker.task;
    while ((task->flags & (kUntied | kUndeferred | kFree)) != 0)
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
// Called when the worker leaves its context for good. Removes the notes of the context.
TEFF_COLD void forget_tied(team::Worker& worker);
// Called when the worker's task waits on a barred context, with tasks of its own queued, and the
// worker is about to leave. The context becomes ready as soon as it is no longer barred, unless a
// notification makes it ready before.
TEFF_COLD void await_end_of_bar(team::Worker& worker);
TEFF_COLD void stop_awaiting_end_of_bar(team::Context& context);

// Admits every task of the worker's team that may start on the worker's thread while the current
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

// Admits the tasks that may start while the current task is preempted. These include all untied
// tasks.
class MayStartBeside : public MayStart {
  public:
    using MayStart::MayStart;

    bool operator()(const sched::Runnable* runnable) const {
        return (static_cast<const Task*>(runnable)->clauses & kUntied) != 0 || MayStart::operator()(runnable);
    }
};

} // namespace teff::task
