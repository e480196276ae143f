// SPDX-License-Identifier: Apache-2.0
//
// Reports the end of a task to the counts that include the task: those of its parent, its taskgroup
// and its team.
//
// If the parent and the group belong to the worker's current context, the counts are plain
// variables. Otherwise the counts lie on cache lines that other workers use all the time.
// Therefore, if a worker runs several tasks of the same foreign parent and group in a row, it holds
// their ends back (Worker::ends) and reports them together. This delays no waiter: the task that
// the worker runs next is in the same counts, so a thread that waits for the ends also waits for
// this task.
//
// As long as a worker holds ends back, it takes the next task immediately after each task. The
// worker reports the ends
// - before it runs a task of another parent or group,
// - if there is no next task,
// - if its wait is over (sched/wait.h),
// - if it holds back kMostKept ends (ends.cpp).
//
// A task that runs in place because its creator's queue is full leaves no ends behind
// (full_queue.cpp): its creator may run for long, or wait for these ends itself.
//
// The team's count is changed last: if a team's counts agree, the team is quiet
// (region/team_protocol.h).
#pragma once

#include "task/task.h"
#include "task/taskgroup.h"
#include "team/team.h"

namespace teff::task {

TEFF_COLD void let_go(team::Worker& worker, Task& ended); // run.cpp

// Makes `task` a parent: initialises the kParent fields. Called on the task's context, before its
// first child is counted.
inline void make_parent(Task& task, team::Worker& worker) {
    task.flags |= kParent;
    task.depend_table = nullptr;
    task.kept.store(1, std::memory_order_relaxed);
    task.home.store(worker.context, std::memory_order_relaxed);
    task.children.reset();
}

inline bool is_home(const team::Worker& worker, const Task& parent) {
    return TEFF_LIKELY(parent.home.load(std::memory_order_relaxed) == worker.context);
}

// Counts the ends of `count` children of `parent`. Requires that `parent` is not at home on the
// worker's context.
TEFF_COLD inline void end_children_away(team::Worker& worker, Task& parent, std::uint32_t count) {
    team::Context* const home = parent.home.load(std::memory_order_relaxed);
    switch (parent.children.end_away(count)) {
    case sync::Last::kNo:
        return;
    case sync::Last::kNotifyHome:
        return home->notify();
    case sync::Last::kReclaim:
        return let_go(worker, parent);
    }
}

TEFF_COLD inline void end_tasks_away(Taskgroup& group, std::uint32_t count) {
    team::Context* const waiter = group.home; // read first: once the last task has ended, the group may be gone
    if (group.live.end_away(count) == sync::Last::kNotifyHome) waiter->notify();
}

// Counts one end immediately, without holding it back.
inline void end_child(team::Worker& worker, Task& parent) {
    if (is_home(worker, parent)) parent.children.end_home();
    else end_children_away(worker, parent, 1);
}

inline void end_in_group(team::Worker& worker, Taskgroup& group) {
    if (group.home == worker.context) group.live.end_home();
    else end_tasks_away(group, 1);
}

// Passes on the ends that the worker has kept to itself.
TEFF_COLD void pass_on_ends(team::Worker& worker);

inline void pass_on_ends_if_any(team::Worker& worker) {
    if (TEFF_UNLIKELY(worker.ends.tasks != 0)) pass_on_ends(worker);
}

inline bool ends_alike(const team::Worker& worker, const Task& next) {
    return worker.ends.parent == next.parent.get() && worker.ends.group == next.group.get();
}

TEFF_COLD void keep_end(team::Worker& worker, Task& parent, Taskgroup* group);

// HOT fib. Counts the end of a task on this worker. Requires that `parent`, `group` (if not null)
// and the team all count the task.
inline void end_task(team::Worker& worker, Task& parent, Taskgroup* group) {
    if (TEFF_UNLIKELY(!is_home(worker, parent) || (group != nullptr && group->home != worker.context)))
        return keep_end(worker, parent, group);
    if (group != nullptr) group->live.end_home();
    parent.children.end_home();
    team::Member::count(worker.member->finished);
}

} // namespace teff::task
