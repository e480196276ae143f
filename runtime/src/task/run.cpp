// SPDX-License-Identifier: Apache-2.0
#include "task/run.h"

#include "task/descent.h"
#include "task/events_counted.h"
#include "task/events_recorded.h"

namespace teff::task {

// [kept-1] Who gives a kept block back lets go of the parent's by a fetch_sub (acq_rel); whoever
//          finds the count at 1 (acquire), or brings it to 0, gives the parent's own back: it comes
//          after all that others have read of it.
//
// [kept-2] A task sets kLeft (release) when its link is final and it has a claim on who that names;
//          a child that sees it (acquire) may follow the link, as it has a claim on the task itself.
namespace {

// The nearest ancestor of the ending task that has not left; at worst one that has just done so.
Task& nearest_alive(Task& parent) {
    Task* up = &parent;
    while ((up->kept.load(std::memory_order_acquire) & kLeft) != 0) { // [kept-2]
        Task* const above = up->parent;
        if (above == nullptr) break;
        up = above;
    }
    return *up;
}

// Its end counts with its parent after this, but for a detachable one, which reads its parent then.
bool may_skip(const Task& task) { return (task.flags & (kCountsAsChild | kDetachable)) == kCountsAsChild; }

} // namespace

// The block of its parent, or of a farther ancestor, is kept for this task, which ended before its
// own children or before theirs, and before those can end. The parent is unfinished, or kept: it
// waits for the task, or counts it until after this.
bool end_before_descendants(team::Worker& worker, Task& task) {
    Task* const parent = task.parent;
    if (parent != nullptr) {
        // Of a task that is not counted the parent is on the same context; another one's flags may
        // be changing.
        const bool counted = (task.flags & kCountsAsChild) != 0;
        if (!counted && (parent->flags & kParent) == 0) make_parent(*parent, worker);
        Task& keeps = may_skip(task) ? nearest_alive(*parent) : *parent;
        keeps.kept.fetch_add(1, std::memory_order_relaxed); // there is a claim on it: nobody can bring it to 0
        if (&keeps != parent) skip_to(task, keeps);
        task.flags |= kKeepsParent;
    }
    task.kept.fetch_or(kLeft, std::memory_order_release); // [kept-2]
    if (task.children.try_open_to_finished()) return false;
    let_go(worker, task);
    return false;
}

void let_go(team::Worker& worker, Task& ended) {
    for (Task* task = &ended; (task->kept.fetch_sub(1, std::memory_order_acq_rel) & ~kLeft) == 1;) { // [kept-1]
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
