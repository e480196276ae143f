// SPDX-License-Identifier: Apache-2.0
//
// Running a task on the current stack, and what follows its end.
#pragma once

#include <cstring>

#include "base/clock.h"
#include "task/cancelled.h"
#include "task/events.h"
#include "task/task.h"
#include "task/taskgroup.h"
#include "team/team.h"

namespace teff::task {

// Where the tasks that become ready may go: those that descend from whatever waits on the worker's stack, to the worker's own queue.
enum class Successors : bool { kDescendants, kUnrelated };

TEFF_COLD void release_dependences(team::Worker& worker, Task& task, Successors successors); // dependences.cpp
TEFF_COLD void free_depend_table(team::Worker& worker, Task& task);                          // dependences.cpp
TEFF_COLD void end_detachable_body(team::Worker& worker, Task& task);                        // detach.cpp
TEFF_COLD void free_outside_args(Task& task);                                                // create.cpp

// Gives the block of a finished task without unfinished children back.
[[gnu::always_inline]] inline void reclaim(team::Worker& worker, Task& task) {
    if (TEFF_UNLIKELY((task.flags & kArgsOutside) != 0)) free_outside_args(task);
    if (TEFF_UNLIKELY(task.depend_table != nullptr)) free_depend_table(worker, task);
    worker.blocks.give_back(&task, task.block_size);
}

// Tells `parent` that one of its children has finished.
[[gnu::always_inline]] inline void end_child(team::Worker& worker, Task& parent) {
    team::Worker* home = parent.home;
    if (TEFF_LIKELY(home == &worker && (parent.flags & kFinished) == 0)) {
        parent.children.end_home();
        return;
    }
    switch (parent.children.end_away()) {
    case sync::Last::kNo:
        return;
    case sync::Last::kWakeHome:
        home->parker.unpark();
        return;
    case sync::Last::kReclaim:
        reclaim(worker, parent);
        return;
    }
}

// The task has done all that it had to do. What others wait for comes first, the team's count last: a team whose counts agree is quiet.
[[gnu::always_inline]] inline void finish(team::Worker& worker, Task& task) {
    if (TEFF_UNLIKELY(task.depend_node != nullptr)) release_dependences(worker, task, Successors::kDescendants);
    Task* const parent = task.parent;
    Taskgroup* const group = task.group;
    const bool counted = (task.flags & kCountsAsChild) != 0;
    task.flags |= kFinished;
    if (TEFF_LIKELY(task.children.none_left()) || !task.children.try_open_to_finished()) reclaim(worker, task);
    if (TEFF_UNLIKELY(!counted)) return;
    if (group != nullptr) group->end_task(worker);
    end_child(worker, *parent);
}

// HOT fib. Runs a task that the caller has taken, on top of whatever runs on this worker now, to its end.
inline void run(team::Worker& taker, Task& task) {
    Task* const below = taker.task;
    taker.task = &task;
    task.home = &taker;
    task.started_at = sched::WorkStealing::mark(taker.member->lane);
    if (TEFF_UNLIKELY(taker.probes != 0)) events::run_body(taker, task);
    else if (TEFF_LIKELY(!try_discard(*taker.member->team, task))) task.function(task.args);
    team::Worker& worker = team::current_worker(); // the body may have switched contexts
    worker.task = below;
    if (TEFF_UNLIKELY((task.flags & kDetachable) != 0)) return end_detachable_body(worker, task);
    const bool counted = (task.flags & kCountsAsChild) != 0;
    finish(worker, task);
    if (TEFF_LIKELY(counted)) team::Member::count(worker.member->finished);
}

} // namespace teff::task
