// SPDX-License-Identifier: Apache-2.0
#include "task/run.h"

namespace teff::task {

void reclaim_parent(team::Worker& worker, Task& parent) { reclaim(worker, parent); }

// Of a task that is over, what `finish` would do first, so that the time it takes is known.
TEFF_APART static void release_counted(team::Worker& worker, Task& task) {
    release_dependences(worker, task, Successors::kDescendants);
    task.flags &= ~kDependent;
    events::dependences_released(worker);
}

namespace {

void release_if_counted(team::Worker& worker, Task& task) {
    const bool releases = task.has_dependences() && (task.flags & kDetachable) == 0;
    if (releases && team::counted(worker)) release_counted(worker, task);
}

// With the counters alone, and without times.
void run_body_counted(team::Worker& worker, Task& task) {
    const events::Body body{.task_id = task.id, .skipped = try_discard(*worker.member->team, task)};
    events::stat::body_began(worker, task, body);
    if (!body.skipped) task.function(task.args());
    team::Worker& after = team::current_worker(); // the body may have switched contexts
    events::stat::body_ends(after, task, body, 0);
    release_if_counted(after, task);
}

} // namespace

void detail::run_body_probed(team::Worker& worker, Task& task) {
    if (worker.probes == probe::kStat) return run_body_counted(worker, task);
    __builtin_prefetch(task.args()); // may lie in its creator's cache, and its body asks for them first
    const bool skipped = try_discard(*worker.member->team, task);
    events::Body body = events::body_begins(worker, task, __builtin_frame_address(0), skipped);
    body.began = base::ticks();
    events::body_began(worker, task, body);
    if (!skipped) task.function(task.args());
    const base::Ticks ended = base::ticks();
    team::Worker& after = team::current_worker(); // the body may have switched contexts
    events::body_ends(after, task, body, ended);
    release_if_counted(after, task);
}

void run_included(team::Worker& worker, Task& task) {
    const bool detachable = (task.flags & kDetachable) != 0; // else its block is gone by then
    team::Worker& after = run(worker, task);
    if (TEFF_UNLIKELY(detachable)) await_event(after, task);
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
