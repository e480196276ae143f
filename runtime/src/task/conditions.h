// SPDX-License-Identifier: Apache-2.0
//
// The conditions (sched/wait.h) that tasks wait for. The conditions of barriers and regions are in
// region/.
#pragma once

#include "task/preemption.h"
#include "task/suspend.h"
#include "task/taskgroup.h"
#include "task/waiting.h"

namespace teff::task {

// The common part of all waits inside a task: which tasks may run on top of the wait, and how the
// waiting task leaves its stack.
struct WaitInTask {
    static constexpr WaitKind kKind = WaitKind::kInTask;

    Task& waiting;
    const Taskgroup* group = nullptr; // tasks of this taskgroup may run, too
    // Whether the frames that wait can continue on another worker. Then their caller asks the
    // context for the worker after the wait.
    Caller caller = Caller::kStays;

    void ran_out() {}
    Eligible eligible() const { return {waiting, group}; }
    // A task with queued tasks of its own gives way and stays ready, because it has to run those
    // tasks itself later.
    template <class Condition> static void go_to_other(Condition& condition, const Other& other) {
        team::Worker& worker = team::current_worker();
        const team::Context& here = *worker.context;
        team::Member& member = *worker.member;
        const bool has_own = member.team->ready.has_own(member.lane, condition.eligible(), worker.task->priority > 0);
        if (has_own && !is_barred(worker)) give_way(worker, other, Goes::kToEnd);
        else leave_until_notified(worker, condition, other, condition.caller);
        if (TEFF_UNLIKELY(preempt::is_on()) && condition.over()) came_back(here.worker());
    }
};

// taskwait: waits for the child tasks.
struct ChildrenEnded : WaitInTask {
    bool over() const { return waiting.children_ended(); }
    bool try_arm() { return waiting.children.try_open_to_waiting(); }
    void disarm() { waiting.children.unfold(); }
};

// The end of a taskgroup: waits for the group's tasks and their descendants.
struct GroupEnded : WaitInTask {
    Taskgroup& ending;
    bool over() const { return ending.live.none_left(); }
    bool try_arm() { return ending.live.try_open_to_waiting(); }
    void disarm() { ending.live.unfold(); }
};

} // namespace teff::task
