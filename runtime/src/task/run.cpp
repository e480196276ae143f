// SPDX-License-Identifier: Apache-2.0
#include "task/run.h"

#include <utility>

#include "task/at_once.h"
#include "task/descent.h"
#include "task/events_counted.h"
#include "task/events_recorded.h"

namespace teff::task {

// [kept-1] A worker that gives back a kept block gives up its claim on the parent's block by a
//          fetch_sub (acq_rel). A worker that finds the count at 1 (acquire), or brings it to 0,
//          gives back the parent's block. So the parent's block is given back after all reads of it
//          by other workers.
//
// [kept-2] A task sets kLeft (release) when its link is final and it has a claim on the task that
//          the link names. A child that sees kLeft (acquire) may follow the link, because the child
//          has a claim on the task itself.
namespace {

// Returns the nearest ancestor of the ending task that has not left. The returned ancestor may
// leave at any time.
Task& nearest_alive(Task& parent) {
    Task* up = &parent;
    while ((up->kept.load(std::memory_order_acquire) & kLeft) != 0) { // [kept-2]
        Task* const above = up->parent;
        if (above == nullptr) break;
        up = above;
    }
    return *up;
}

// Returns true if the task may skip ancestors, which requires that its parent still counts the task
// at this point. This excludes detachable tasks, because a detachable task reads its parent when
// its end is counted.
bool may_skip(const Task& task) { return (task.flags & (kCountsAsChild | kDetachable)) == kCountsAsChild; }

} // namespace

// Keeps the block of the parent, or of a farther ancestor, for this task, which has ended before
// its children or their descendants. Called before those can end. The parent's block is valid: the
// parent is unfinished, or its block is kept, because the parent waits for the task, or counts the
// task until after this call.
bool end_before_descendants(team::Worker& worker, Task& task) {
    Task* const parent = task.parent;
    if (parent != nullptr) {
        // The parent of a task that is not counted is on the same context. The flags of another
        // parent may be changing.
        const bool counted = (task.flags & kCountsAsChild) != 0;
        if (!counted && (parent->flags & kParent) == 0) make_parent(*parent, worker);
        Task& keeps = may_skip(task) ? nearest_alive(*parent) : *parent;
        keeps.kept.fetch_add(1, std::memory_order_relaxed); // there is already a claim on it, so no
                                                            // thread can bring it to 0
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

TEFF_APART void run_timed(team::Worker& worker, Task& task) {
    const std::int32_t priority = task.priority;
    const base::Ticks ready = task.ready_at(), began = base::ticks();
    run(worker, task);
    events::stat::ran(worker, priority, ready, began);
}

} // namespace

void run_at_its_place(team::Worker& worker, Task& task) {
    sched::Place& place = worker.member->lane.place;
    const sched::Place outer = std::exchange(place, take_place(worker, task));
    if (TEFF_UNLIKELY(worker.probes != 0) && team::counted(worker)) run_timed(worker, task);
    else run(worker, task);
    place = outer;
}

namespace {

// For a task whose body is over: does the first step of `finish` separately, so that the time of
// this step is known.
void release(team::Worker& worker, Task& task) {
    release_dependences(worker, task, Successors::kDescendants);
    task.flags &= ~kDependent;
}

// Used if the counters are the only sink, and take no times.
TEFF_APART void run_body_counted(team::Worker& worker, Task& task) {
    const bool skipped = try_discard(team_of(worker, task), task);
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

// Used if the recording is the only sink.
TEFF_APART void run_body_recorded(team::Worker& worker, Task& task) {
    __builtin_prefetch(task.args()); // as in run_body_reported
    const bool skipped = try_discard(team_of(worker, task), task);
    if (TEFF_UNLIKELY((task.flags & kUndeferred) != 0)) events::trace::creation_ends(worker);
    const events::Body body{.task_id = task.id,
                            .region_id = team_of(worker, task).recording.region_id,
                            .began = base::ticks(),
                            .skipped = skipped,
                            .on_top = (task.flags & kUndeferred) != 0};
    if (TEFF_LIKELY(!skipped)) task.function(task.args());
    const base::Ticks ended = base::ticks();
    recording::body_ends(worker, body, ended);
}

TEFF_APART void run_body_reported(team::Worker& worker, Task& task) {
    __builtin_prefetch(task.args()); // may lie in the creator's cache; the body reads them first
    const bool skipped = try_discard(team_of(worker, task), task);
    events::Body body = events::body_begins(worker, task, __builtin_frame_address(0), skipped);
    body.region_id = team_of(worker, task).recording.region_id;
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

void detail::finish_apart(team::Worker& worker, Task& task) { finish(worker, task); }

void run_included(team::Worker& worker, Task& task) {
    const bool detachable = (task.flags & kDetachable) != 0; // otherwise its block no longer exists by then
    run(worker, task);
    if (TEFF_UNLIKELY(detachable)) await_event(worker, task);
}

Underway begin(team::Worker& worker, Task& task, void* frame) {
    Task* const below = worker.task;
    Underway underway{.below = below,
                      .outer = detail::enter(worker, task),
                      .skipped = try_discard(*worker.member->team, task),
                      .body = {},
                      .record = nullptr};
    if (TEFF_UNLIKELY(worker.probes != 0)) {
        underway.body = events::body_begins(worker, task, frame, underway.skipped);
        underway.body.began = base::ticks();
        events::body_began(worker, task, underway.body);
    }
    return underway;
}

void end(team::Worker& worker, Task& task, const Underway& underway) {
    constexpr TaskFlags kAwaited = kDetachable | kUndeferred;
    const bool is_awaited = (task.flags & kAwaited) == kAwaited; // otherwise its block may no longer exist by then
    if (TEFF_UNLIKELY(underway.record != nullptr))
        recording::at_once_ends(worker, task, {.record = underway.record, .body = underway.body});
    else if (TEFF_UNLIKELY(worker.probes != 0 && underway.body.began != 0))
        events::body_ends(worker, task, underway.body, base::ticks());
    detail::leave(worker, task, underway.below, underway.outer);
    if (TEFF_UNLIKELY(is_awaited)) await_event(worker, task);
}

} // namespace teff::task
