// SPDX-License-Identifier: Apache-2.0
//
// Running a task on the current stack, and what follows its end.
#pragma once

#include <cstring>

#include "base/clock.h"
#include "task/cancelled.h"
#include "task/ends.h"
#include "task/events.h"
#include "task/task.h"
#include "task/taskgroup.h"
#include "team/team.h"

namespace teff::task {

// Where the tasks that become ready may go: those that descend from whatever waits on the worker's
// stack, to the worker's own queue.
enum class Successors : bool { kDescendants, kUnrelated };

TEFF_COLD void release_dependences(team::Worker& worker, Task& task, Successors successors); // dependences.cpp
TEFF_COLD void free_depend_table(team::Worker& worker, Task& task);                          // dependences.cpp
TEFF_COLD void end_detachable_body(team::Worker& worker, Task& task);                        // detach.cpp
TEFF_COLD void await_event(team::Worker& worker, Task& task);                                // detach.cpp
TEFF_COLD void free_extras(team::Worker& worker, Task& task);                                // create.cpp

// Gives the block of a finished task without unfinished children back.
[[gnu::always_inline]] inline void reclaim(team::Worker& worker, Task& task) {
    if (TEFF_UNLIKELY((task.flags & (kArgsOutside | kOwnIcvs)) != 0)) free_extras(worker, task);
    if (TEFF_UNLIKELY(task.has_dependent_children())) free_depend_table(worker, task);
    worker.blocks.give_back(&task, task.block_size);
}

TEFF_COLD bool end_before_descendants(team::Worker& worker, Task& task); // run.cpp

// A task that is a parent has ended. True: no child of it is unfinished, and none keeps its block,
// so the caller reclaims it; else whoever ends the last one does, and until then the task keeps its
// own parent's block, so that the chain of parents of those who live stays whole (descent.h).
inline bool end_parent(team::Worker& worker, Task& task) {
    task.home.store(nullptr, std::memory_order_relaxed); // from now on its children end away, on this worker, too
    const bool none_left = task.children.none_left();
    if (TEFF_LIKELY(none_left && task.kept.load(std::memory_order_acquire) == 1)) return true; // [kept-1]
    return end_before_descendants(worker, task);
}

// The task has done all that it had to do.
[[gnu::always_inline]] inline void finish(team::Worker& worker, Task& task) {
    if (TEFF_UNLIKELY(task.has_dependences())) release_dependences(worker, task, Successors::kDescendants);
    Task* const parent = task.parent;
    Taskgroup* const group = task.group;
    const bool counted = (task.flags & kCountsAsChild) != 0;
    if (TEFF_LIKELY((task.flags & kParent) == 0) || end_parent(worker, task)) reclaim(worker, task);
    if (TEFF_LIKELY(counted)) end_task(worker, *parent, group);
}

namespace detail {

// The taker's current task from now on; the one until now is the caller's to keep.
[[gnu::always_inline]] inline sched::Mark enter(team::Worker& taker, Task& task) {
    const sched::Mark outer = sched::Scheduler::enter(taker.member->lane);
    task.next = taker.task;
    taker.task = &task;
    return outer;
}

// Its body is over: the worker goes back to the task below.
[[gnu::always_inline]] inline void leave(team::Worker& worker, Task& task, Task* below, sched::Mark outer) {
    worker.task = below;
    sched::Scheduler::leave(worker.member->lane, outer);
    if (TEFF_UNLIKELY((task.flags & kDetachable) != 0)) end_detachable_body(worker, task);
    else finish(worker, task);
}

TEFF_APART void run_body_probed(team::Worker& worker, Task& task); // run.cpp

} // namespace detail

// HOT fib. Runs a task that the caller has taken, on top of whatever runs on this worker now, to
// its end.
inline void run(team::Worker& worker, Task& task) {
    Task* const below = worker.task;
    const sched::Mark outer = detail::enter(worker, task);
    if (TEFF_UNLIKELY(worker.probes != 0)) detail::run_body_probed(worker, task);
    else if (TEFF_LIKELY(!try_discard(*worker.member->team, task))) task.function(task.args());
    detail::leave(worker, task, below, outer);
}

// `run` for an undeferred task (create.h): its creator waits for its event, too, if it is
// detachable.
void run_included(team::Worker& worker, Task& task);

// run_included as two steps, around a call of the body that is the caller's. `frame`: that of the
// caller. Between the two the task is the current one. If its body is not to be called, as the task
// is cancelled, `end` follows at once.
struct Underway {
    Task* below;
    sched::Mark outer;
    bool skipped; // the body is not to be called
    events::Body body;
};
[[nodiscard]] Underway begin(team::Worker& worker, Task& task, void* frame);
void end(team::Worker& worker, Task& task, const Underway& underway);

} // namespace teff::task
