// SPDX-License-Identifier: Apache-2.0
#include "task/run.h"

#include "task/events_counted.h"
#include "task/events_recorded.h"

namespace teff::task {

void reclaim_parent(team::Worker& worker, Task& parent) { reclaim(worker, parent); }

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
    team::Worker& after = team::current_worker(); // the body may have switched contexts
    counting::Counters& counters = *after.stat;
    const teff_stat_state next = counting::body_ends(after, task, skipped);
    counting::enter(counters, next);
    if (next != TEFF_STAT_DEPENDENCES) return;
    release(after, task);
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
    recording::body_ends(team::current_worker(), body, ended); // the body may have switched contexts
}

TEFF_APART void run_body_reported(team::Worker& worker, Task& task) {
    __builtin_prefetch(task.args()); // may lie in its creator's cache, and its body asks for them first
    const bool skipped = try_discard(*worker.member->team, task);
    events::Body body = events::body_begins(worker, task, __builtin_frame_address(0), skipped);
    body.began = base::ticks();
    events::body_began(worker, task, body);
    if (!skipped) task.function(task.args());
    const base::Ticks ended = base::ticks();
    team::Worker& after = team::current_worker(); // the body may have switched contexts
    events::body_ends(after, task, body, ended);
    if (!team::counted(after) || !counting::releases(task)) return;
    release(after, task);
    events::dependences_released(after);
}

} // namespace

void detail::run_body_probed(team::Worker& worker, Task& task) {
    if (worker.probes == probe::kStat) run_body_counted(worker, task);
    else if (team::only_traced(worker)) run_body_recorded(worker, task);
    else run_body_reported(worker, task);
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
