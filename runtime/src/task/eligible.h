// SPDX-License-Identifier: Apache-2.0
//
// Decides which tasks may run on top of a wait.
//
// While a task waits, its thread may run other tasks on the same stack, on top of the wait. Only
// descendants of the waiting task may run there. Tasks that were queued on this context after the
// task began lie above the task's mark in the context's queue. These tasks are known to be
// descendants (sched/task_queue.h): they were created on top of the waiting task, or made ready by
// the end of a task that ran on top of it. Tasks that a fulfilled event makes ready never go into
// such a queue (dependences.cpp), because they may be unrelated. Any other task must have the
// waiting task in its chain of parents, or belong to the taskgroup for which the waiting task
// waits.
//
// On top of a wait outside of tasks, as at a barrier, every task that may start on this thread may
// run.
#pragma once

#include "task/constraint.h"

namespace teff::task {

// Admits descendants of `waiting`, and tasks of `group` (may be null), which are also descendants
// of `waiting`.
class Eligible {
  public:
    Eligible(const Task& waiting, const Taskgroup* group) : waiting_(waiting), group_(group) {}

    static constexpr bool constrained() { return true; }

    bool operator()(const sched::Runnable* runnable) const {
        const auto& candidate = *static_cast<const Task*>(runnable);
        return (group_ != nullptr && candidate.group == group_) || descends(candidate, waiting_);
    }

  private:
    const Task& waiting_;
    const Taskgroup* group_;
};

// Admits tasks at the bottom of a stack: all tasks left in the stack's queue, and all other tasks
// that may start.
class AtBottomOfStack {
  public:
    explicit AtBottomOfStack(team::Worker& worker) : may_start_(worker) {}

    static constexpr bool constrained() { return false; }
    bool operator()(const sched::Runnable* runnable) const { return may_start_(runnable); }

  private:
    MayStart may_start_;
};

} // namespace teff::task
