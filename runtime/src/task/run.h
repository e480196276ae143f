// SPDX-License-Identifier: Apache-2.0
//
// Runs a task on the current stack, and takes the steps that follow the task's
// end.
#pragma once

#include <cstring>

#include "base/clock.h"
#include "preempt/hold.h"
#include "task/cancelled.h"
#include "task/ends.h"
#include "task/events.h"
#include "task/task.h"
#include "task/taskgroup.h"
#include "team/team.h"

namespace teff::task {

// Whether the tasks that become ready descend from every task that waits on the worker's stack.
// Only kDescendants may go to the worker's own queue.
enum class Successors : bool { kDescendants, kUnrelated };

TEFF_COLD void release_dependences(team::Worker& worker, Task& task, Successors successors); // dependences.cpp
TEFF_COLD void free_depend_table(team::Worker& worker, Task& task);                          // dependences.cpp
TEFF_COLD void end_detachable_body(team::Worker& worker, Task& task);                        // detach.cpp
TEFF_COLD void await_event(team::Worker& worker, Task& task);                                // detach.cpp
TEFF_COLD void free_extras(team::Worker& worker, Task& task);                                // create.cpp

// Gives back the block of a task that has finished and has no unfinished children.
[[gnu::always_inline]] inline void reclaim(team::Worker& worker, Task& task) {
    if (TEFF_UNLIKELY((task.flags & (kArgsOutside | kOwnIcvs)) != 0)) free_extras(worker, task);
    if (TEFF_UNLIKELY(task.has_dependent_children())) free_depend_table(worker, task);
    worker.blocks.give_back(&task, task.block_size);
}

TEFF_COLD bool end_before_descendants(team::Worker& worker, Task& task); // run.cpp

// Ends a task that is a parent. Returns true if no child is unfinished and no child keeps its
// block: then the caller reclaims the task. Otherwise the task is reclaimed when the last child has
// ended. Until then the task keeps its own parent's block, so that the chain of parents of
// unfinished tasks stays complete (descent.h).
inline bool end_parent(team::Worker& worker, Task& task) {
    // From now on, children that end on this worker count as ending away from home, too.
    task.home.store(nullptr, std::memory_order_relaxed);
    const bool none_left = task.children.none_left();
    if (TEFF_LIKELY(none_left && task.kept.load(std::memory_order_acquire) == 1)) return true; // [kept-1]
    return end_before_descendants(worker, task);
}

// Finishes a task that has done all its work: releases its dependences, reclaims its block if
// possible, and counts its end.
[[gnu::always_inline]] inline void finish(team::Worker& worker, Task& task) {
    if (TEFF_UNLIKELY(task.has_dependences())) release_dependences(worker, task, Successors::kDescendants);
    Task* const parent = task.parent;
    Taskgroup* const group = task.group;
    const bool counted = (task.flags & kCountsAsChild) != 0;
    if (TEFF_LIKELY((task.flags & kParent) == 0) || end_parent(worker, task)) reclaim(worker, task);
    if (TEFF_LIKELY(counted)) end_task(worker, *parent, group);
}

namespace detail {

// Makes `task` the taker's current task. The caller must remember the previous current task.
[[gnu::always_inline]] inline sched::Mark enter(team::Worker& taker, Task& task) {
    const sched::Mark outer = sched::Scheduler::enter(taker.member->lane);
    task.next = taker.task;
    taker.task = &task;
    return outer;
}

// Called when the body of `task` is over. The worker goes back to the task below, and `task` ends.
[[gnu::always_inline]] inline void leave(team::Worker& worker, Task& task, Task* below, sched::Mark outer) {
    worker.task = below;
    sched::Scheduler::leave(worker.member->lane, outer);
    if (TEFF_UNLIKELY((task.flags & kDetachable) != 0)) end_detachable_body(worker, task);
    else finish(worker, task);
}

TEFF_APART void run_body_probed(team::Worker& worker, Task& task); // run.cpp
TEFF_APART void finish_apart(team::Worker& worker, Task& task);    // run.cpp

} // namespace detail

// HOT fib. Runs a task to its end, on top of the worker's current task. Requires that the caller
// has taken the task.
inline void run(team::Worker& worker, Task& task) {
    Task* const below = worker.task;
    const sched::Mark outer = detail::enter(worker, task);
    if (TEFF_UNLIKELY(worker.probes != 0)) detail::run_body_probed(worker, task);
    else if (TEFF_LIKELY(!try_discard(*worker.member->team, task))) task.function(task.args());
    detail::leave(worker, task, below, outer);
}

// Returns the place of a task with a priority that is about to begin. A task that came through a
// SharedQueue, or was never queued, gets a place now.
inline sched::Place take_place(team::Worker& worker, const Task& task) {
    const sched::Place place = place_of(task);
    return place != sched::kNoPlace ? place : worker.member->team->ready.default_policy().new_place();
}

TEFF_COLD void run_at_its_place(team::Worker& worker, Task& task); // run.cpp
TEFF_COLD void run_preemptible(team::Worker& worker, Task& task);  // preemption.cpp
TEFF_COLD void run_specially(team::Worker& worker, Task& task);    // moving.cpp

namespace detail {
extern constinit bool special; // moving.cpp; set when the library is loaded
}
// Returns true if threads are preempted or contexts move in this process: then the short paths are
// left.
inline bool is_special() { return detail::special; }

// Runs a task that the caller has taken from a queue, on top of the current task.
inline void run_here(team::Worker& worker, Task& task) {
    if (TEFF_UNLIKELY(preempt::is_on())) run_preemptible(worker, task);
    else if (TEFF_UNLIKELY(task.priority > 0)) run_at_its_place(worker, task);
    else run(worker, task);
}

// Does what `run` does, for a task that the caller has taken from a queue, or has created to be
// queued. Tasks created by a task with a priority get its place (sched/runnable.h).
inline void run_taken(team::Worker& worker, Task& task) {
    if (TEFF_UNLIKELY(is_special())) run_specially(worker, task);
    else if (TEFF_UNLIKELY(task.priority > 0)) run_at_its_place(worker, task);
    else run(worker, task);
}

// Does what `run` does, for an undeferred task (create.h). If the task is detachable, its creator
// also waits for the event.
void run_included(team::Worker& worker, Task& task);

// run_included as two steps, around a call of the body by the caller. `frame`: the caller's frame.
// Between the two steps `task` is the current task. If Underway::skipped is true, the task is
// cancelled: the caller does not call the body, and calls `end` at once.
struct Underway {
    Task* below;
    sched::Mark outer;
    bool skipped; // the body must not be called
    events::Body body;
    const char* record = nullptr; // of a task recorded as run at once: see events_recorded.h
};
[[nodiscard]] Underway begin(team::Worker& worker, Task& task, void* frame);
void end(team::Worker& worker, Task& task, const Underway& underway);

// The same in line, for a task without event and dependences, if no probe was on when it began. The
// body is called in any case.
[[gnu::always_inline]] inline void begin_simply(team::Worker& worker, Task& task) {
    task.outer = detail::enter(worker, task);
}
[[gnu::always_inline]] inline void end_simply(team::Worker& worker, Task& task) {
    worker.task = task.below();
    sched::Scheduler::leave(worker.member->lane, task.outer);
    constexpr TaskFlags kMore = kParent | kOwnIcvs | kArgsOutside;
    const bool is_plain = (task.flags & kMore) == 0 && worker.blocks.has_room(task.block_size);
    if (TEFF_LIKELY(is_plain)) worker.blocks.give_back(&task, task.block_size); // all that finish does
    else detail::finish_apart(worker, task);
}

} // namespace teff::task
