// SPDX-License-Identifier: Apache-2.0
#include "task/run.h"

#include "task/events_counted.h"
#include "task/events_recorded.h"

namespace teff::task {

// [kept-1] Who gives a kept block back lets go of the parent's by a fetch_sub (acq_rel); whoever
//          finds the count at 1 (acquire), or brings it to 0, gives the parent's own back: it comes
//          after all that others have read of it.
//
// The parent's block is kept for this child, which ended before its own children or before theirs,
// and before those can end. The parent is unfinished: it waits for the child, or is counted by who
// does.
bool end_before_descendants(team::Worker& worker, Task& task) {
    Task* const parent = task.parent;
    if (parent != nullptr) {
        // Of a task that is not counted the parent is on the same context; another one's flags may
        // be changing.
        const bool counted = (task.flags & kCountsAsChild) != 0;
        if (!counted && (parent->flags & kParent) == 0) make_parent(*parent, worker);
        parent->kept.fetch_add(1, std::memory_order_relaxed); // the task is there: nobody can bring it to 0
        task.flags |= kKeepsParent;
    }
    if (task.children.try_open_to_finished()) return false;
    let_go(worker, task);
    return false;
}

void let_go(team::Worker& worker, Task& ended) {
    for (Task* task = &ended; task->kept.fetch_sub(1, std::memory_order_acq_rel) == 1;) { // [kept-1]
        Task* const parent = (task->flags & kKeepsParent) != 0 ? task->parent.get() : nullptr;
        reclaim(worker, *task);
        if (parent == nullptr) return;
        task = parent;
    }
}

namespace {

// Of a task that is over, what `finish` would do first, so that the time it takes is known.
void release(team::Worker& worker, Task& task) {
    release_dependences(worker, task, Successors::kDescendants);
    task.flags &= ~kDependent;
}

// With the counters alone, and without times.
TEFF_APART void run_body_counted(team::Worker& worker, Task& task) {
    const bool skipped = try_discard(*worker.member->team, task);
    counting::body_begins(*worker.stat, task);
    counting::enter(*worker.stat, TEFF_STAT_USER);
    if (TEFF_LIKELY(!skipped)) task.function(task.args());
    counting::Counters& counters = *worker.stat;
    const teff_stat_state next = counting::body_ends(worker, task, skipped);
    counting::enter(counters, next);
    if (next != TEFF_STAT_DEPENDENCES) return;
    release(worker, task);
    counting::enter(counters, TEFF_STAT_QUEUES);
}

// With the recording alone.
TEFF_APART void run_body_recorded(team::Worker& worker, Task& task) {
    __builtin_prefetch(task.args()); // as below
    const bool skipped = try_discard(*worker.member->team, task);
    if (TEFF_UNLIKELY((task.flags & kUndeferred) != 0)) events::trace::creation_ends(worker);
    const events::Body body{.task_id = task.id,
                            .region_id = worker.member->team->recording.region_id,
                            .began = base::ticks(),
                            .skipped = skipped};
    if (TEFF_LIKELY(!skipped)) task.function(task.args());
    const base::Ticks ended = base::ticks();
    recording::body_ends(worker, body, ended);
}

TEFF_APART void run_body_reported(team::Worker& worker, Task& task) {
    __builtin_prefetch(task.args()); // may lie in its creator's cache, and its body asks for them first
    const bool skipped = try_discard(*worker.member->team, task);
    events::Body body = events::body_begins(worker, task, __builtin_frame_address(0), skipped);
    body.began = base::ticks();
    events::body_began(worker, task, body);
    if (!skipped) task.function(task.args());
    const base::Ticks ended = base::ticks();
    events::body_ends(worker, task, body, ended);
    if (!team::counted(worker) || !counting::releases(task)) return;
    release(worker, task);
    events::dependences_released(worker);
}

} // namespace

void detail::run_body_probed(team::Worker& worker, Task& task) {
    if (worker.probes == probe::kStat) run_body_counted(worker, task);
    else if (team::only_traced(worker)) run_body_recorded(worker, task);
    else run_body_reported(worker, task);
}

void run_included(team::Worker& worker, Task& task) {
    const bool detachable = (task.flags & kDetachable) != 0; // else its block is gone by then
    run(worker, task);
    if (TEFF_UNLIKELY(detachable)) await_event(worker, task);
}

Underway begin(team::Worker& worker, Task& task, void* frame) {
    Task* const below = worker.task;
    Underway underway{.below = below,
                      .outer = detail::enter(worker, task),
                      .skipped = try_discard(*worker.member->team, task),
                      .body = {}};
    if (TEFF_UNLIKELY(worker.probes != 0)) {
        underway.body = events::body_begins(worker, task, frame, underway.skipped);
        underway.body.began = base::ticks();
        events::body_began(worker, task, underway.body);
    }
    return underway;
}

void end(team::Worker& worker, Task& task, const Underway& underway) {
    const bool detachable = (task.flags & kDetachable) != 0;
    if (TEFF_UNLIKELY(worker.probes != 0 && underway.body.began != 0))
        events::body_ends(worker, task, underway.body, base::ticks());
    detail::leave(worker, task, underway.below, underway.outer);
    if (TEFF_UNLIKELY(detachable)) await_event(worker, task);
}

} // namespace teff::task
