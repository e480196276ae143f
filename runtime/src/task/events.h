// SPDX-License-Identifier: Apache-2.0
//
// What tasks report to the probes. Called only while one is on (Worker::probes is not 0), by the
// worker's own thread. Each function serves every sink that is on; the sinks' own halves are in
// events_trace.cpp, events_ompt.cpp and events_stat.cpp. They only report: they return nothing but
// times and ids, wake nobody, wait for nobody, and run no code of the program
// (scripts/check_sinks.py).
#pragma once

#include "base/call_site.h"
#include "base/clock.h"
#include "task/depend_items.h"
#include "task/depend_table.h"
#include "task/task.h"
#include "team/probes.h"
#include "team/team.h"

namespace teff::task::events {

// What only the construct knows of a new task.
struct Creation {
    base::Ticks met = 0; // when the construct was met
    base::CallSite site = {};
    DependItems depend = {};
    std::uint64_t first_iteration = 0; // taskloop
    std::uint64_t iterations = 0;
};

// What the end of a task's body needs of its begin, when the task's block may serve another.
struct Body {
    std::uint64_t task_id = 0;
    std::uint64_t region_id = 0;
    base::Ticks began = 0;
    bool skipped = false;
};

// The record of an explicit task for a tool: of one that is known to have it; and if it has one.
inline probe::ompt::TaskRecord* record_behind(Task& task) {
    return reinterpret_cast<probe::ompt::TaskRecord*>(&task + 1);
}
inline probe::ompt::TaskRecord* record_of(Task& task) {
    return (task.flags & kObserved) != 0 ? record_behind(task) : nullptr;
}

// A task that is about to wait for another of its parent's children, whatever has become of that
// meanwhile.
struct Dependence {
    DependNode& predecessor;
    std::uint64_t successor_id;
    void* address;                 // null: all memory
    ItemKind kind;                 // what the successor says of it
    DependKind predecessor_kind;   // what the predecessor did to it
    probe::ompt::TaskRecord* sink; // of the successor, or null
    bool unfulfilled;
    bool of_wait; // the successor is a taskwait, of the task `successor_id`
};

// What a task waits for.
enum class Wait : std::uint8_t {
    kTaskwait,
    kTaskgroup,
    kDependences, // until an undeferred task may begin, or a taskwait's dependences are fulfilled
    kYield,       // runs another task, and waits for that; or gives way to one by its side
};

// The sinks' halves: events_trace.cpp appends records to the worker's stream, events_ompt.cpp tells
// the tool. Each is called only while its sink is on.
namespace trace {
void created(team::Worker& worker, Task& task, const Creation& creation);
void creation_ends(team::Worker& worker);
void creation_ended(team::Worker& worker, base::Ticks when);
void depends(team::Worker& worker, const Dependence& dependence);
void ran_at_once(team::Worker& worker, std::uint32_t site, base::Ticks began);
void fulfilled(team::Worker& worker, std::uint64_t task_id, bool body_ended, base::Ticks when);
void group_begins(team::Worker& worker);
void idled(team::Worker& worker, base::Ticks since, std::uint32_t sleep);
void body_ends(team::Worker& worker, const Body& body, base::Ticks ended);
void waited(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks began);
void preempted(team::Worker& worker, base::Ticks left);
void turned(team::Worker& worker);
} // namespace trace

namespace ompt {
void construct_begins(team::Worker& worker, base::CallSite site);
void construct_ends(team::Worker& worker);
void created(team::Worker& worker, Task& task, const Creation& creation);
void body_begins(team::Worker& worker, Task& task, void* frame, bool skipped);
void body_ends(team::Worker& worker, Task& task);
void depends(const Dependence& dependence);
void taskwait_depend_begins(team::Worker& worker, probe::ompt::TaskRecord& record, const DependItems& depend,
                            base::CallSite site);
void taskwait_depend_ends(probe::ompt::TaskRecord& record);
void detachable_body_ends(team::Worker& worker, Task& task, bool first);
void event_fulfilled(Task& task, bool early);
void wait_begins(team::Worker& worker, Wait wait, base::CallSite site);
void wait_ends(team::Worker& worker, Wait wait, base::CallSite site);
void group_begins(team::Worker& worker, base::CallSite site);
void group_ends(team::Worker& worker, base::CallSite site);
void taskloop(team::Worker& worker, bool begins, std::uint64_t iterations, base::CallSite site);
} // namespace ompt

namespace stat {
void created(team::Worker& worker, const Task& task, const Creation& creation);
void creation_ends(team::Worker& worker);
void body_began(team::Worker& worker, const Task& task, const Body& body);
void body_ends(team::Worker& worker, const Task& task, const Body& body, base::Ticks ended);
void dependences_released(team::Worker& worker);
void runs_at_once(team::Worker& worker, base::Ticks now);
// A task that is about to be created depends on so many others, of which some have not ended.
void depends_on(team::Worker& worker, std::uint32_t tasks, std::uint32_t unfulfilled);
void waits(team::Worker& worker, base::Ticks now);
void waited(team::Worker& worker);
void ran_out(team::Worker& worker);
void idles(team::Worker& worker, base::Ticks now);
void idled(team::Worker& worker);
void preempted(team::Worker& worker);
} // namespace stat

// The interface.

// How many bytes do tasks need for a tool's record, between their header and their arguments?
std::size_t record_bytes();

// Is a simple task to take the way of all others, since a sink asks for more than its creation? Not
// in line: creating a task would take more instructions.
TEFF_COLD bool need_whole_path(const team::Worker& worker);

// A task has been created, and is ready soon; and its creator has finished with it. In between an
// undeferred one may begin, or wait to begin, or a deferred one be run at once: then its creation
// has ended there.
TEFF_APART inline void created(team::Worker& worker, Task& task, const Creation& creation) {
    if (traced(worker)) trace::created(worker, task, creation);
    if (observed(worker)) ompt::created(worker, task, creation);
    if (counted(worker)) stat::created(worker, task, creation);
}

TEFF_APART inline void creation_ends(team::Worker& worker) {
    if (traced(worker)) trace::creation_ends(worker);
    if (counted(worker)) stat::creation_ends(worker);
}

// The current task meets a construct that creates tasks, and is through with it. The first returns
// when: at `met`, or now if that is 0.
TEFF_APART inline base::Ticks construct_begins(team::Worker& worker, base::CallSite site, base::Ticks met) {
    if (observed(worker)) ompt::construct_begins(worker, site);
    return met != 0 ? met : team::event_ticks(worker);
}

TEFF_APART inline void construct_ends(team::Worker& worker) {
    if (observed(worker)) ompt::construct_ends(worker);
}

// The body of a task that the worker has taken is about to begin, or to be skipped, as the task is
// cancelled; and it is over, since `ended`. `frame`: of the function that calls the body. The first
// returns what the second will need, when the task's block may serve another; the caller adds when
// the body begins, so that as little as can be of what is the runtime's counts as the task's.
TEFF_APART inline Body body_begins(team::Worker& worker, Task& task, void* frame, bool skipped) {
    if (observed(worker)) ompt::body_begins(worker, task, frame, skipped);
    if (traced(worker) && (task.flags & kUndeferred) != 0) trace::creation_ends(worker);
    return {.task_id = task.id, .region_id = worker.member->team->recording.region_id, .skipped = skipped};
}

// `body.began` is known now.
inline void body_began(team::Worker& worker, const Task& task, const Body& body) {
    if (counted(worker)) stat::body_began(worker, task, body);
}

TEFF_APART inline void body_ends(team::Worker& worker, Task& task, const Body& body, base::Ticks ended) {
    if (counted(worker)) stat::body_ends(worker, task, body, ended);
    if (traced(worker)) trace::body_ends(worker, body, ended);
    if (observed(worker)) ompt::body_ends(worker, task);
}

// The successors of a task that is over have been told.
TEFF_APART inline void dependences_released(team::Worker& worker) {
    if (counted(worker)) stat::dependences_released(worker);
}

// The creator of a task runs it at once, as its queue is full, and has run it since `began`.
// `site`: Task::site.
TEFF_APART inline base::Ticks runs_at_once(team::Worker& worker) {
    const base::Ticks now = base::ticks();
    if (traced(worker)) trace::creation_ended(worker, now);
    if (counted(worker)) stat::runs_at_once(worker, now);
    return now;
}

TEFF_APART inline void ran_at_once(team::Worker& worker, std::uint32_t site, base::Ticks began) {
    if (traced(worker)) trace::ran_at_once(worker, site, began);
}

// The task waits for another.
TEFF_APART inline void depends(team::Worker& worker, const Dependence& dependence) {
    const std::uint64_t predecessor_id = dependence.predecessor.task_id;
    if (predecessor_id == dependence.successor_id) return; // the same address twice in one construct
    if (traced(worker)) trace::depends(worker, dependence);
    if (observed(worker)) ompt::depends(dependence);
    if (counted(worker)) stat::depends_on(worker, 1, dependence.unfulfilled ? 1 : 0);
}

// The worker has called omp_fulfill_event at `when`, for this task, and is about to return from it.
// Maybe the task is over already.
TEFF_APART inline void fulfilled(team::Worker& worker, std::uint64_t task_id, bool body_ended, base::Ticks when) {
    if (traced(worker)) trace::fulfilled(worker, task_id, body_ended, when);
}

// taskwait with a depend clause: to a tool, a task of its own with these dependences, which does
// nothing. Its record is the caller's, and stays until the second call, which a worker of which a
// tool does not hear may leave out.
TEFF_APART inline void taskwait_depend_begins(team::Worker& worker, probe::ompt::TaskRecord& record,
                                              const DependItems& depend, base::CallSite site) {
    if (observed(worker)) ompt::taskwait_depend_begins(worker, record, depend, site);
}

TEFF_APART inline void taskwait_depend_ends(team::Worker& worker, probe::ompt::TaskRecord& record) {
    if (observed(worker)) ompt::taskwait_depend_ends(record);
}

// With a tool: the body of a detachable task is over, before its event was fulfilled (`first`) or
// after; and its event is fulfilled, early or late. The fulfiller may be any thread.
TEFF_APART inline void detachable_body_ends(team::Worker& worker, Task& task, bool first) {
    if (observed(worker))
        ompt::detachable_body_ends(worker, task, first); // else the tool is over: this worker came later
}

TEFF_APART inline void event_fulfilled(Task& task, bool early) { ompt::event_fulfilled(task, early); }

// The current task waits. The first returns since when, for the second: since `met`, or now if that
// is 0.
TEFF_APART inline base::Ticks wait_begins(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks met = 0) {
    if (observed(worker)) ompt::wait_begins(worker, wait, site);
    worker.task->departures = 0;
    const base::Ticks now = met != 0 ? met : team::event_ticks(worker);
    if (wait == Wait::kDependences && traced(worker)) trace::creation_ended(worker, now);
    if (counted(worker)) stat::waits(worker, now);
    return now;
}

TEFF_APART inline void wait_ends(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks began) {
    if (counted(worker)) stat::waited(worker);
    if (traced(worker)) trace::waited(worker, wait, site, began);
    if (observed(worker)) ompt::wait_ends(worker, wait, site);
}

// The current task leaves its stack to others; it is back there, after it was preempted.
TEFF_APART inline void departs(team::Worker& worker) {
    if (worker.task->departures != UINT8_MAX) ++worker.task->departures;
}

// The worker's turns have been counted once more: team/turns.h.
TEFF_APART inline void turned(team::Worker& worker) {
    if (traced(worker)) trace::turned(worker);
}

TEFF_APART inline void preempted(team::Worker& worker, base::Ticks left) {
    if (traced(worker)) trace::preempted(worker, left);
    if (counted(worker)) stat::preempted(worker);
}

// The current task enters a taskgroup, and leaves it after its wait.
TEFF_APART inline void group_begins(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::group_begins(worker, site);
    if (traced(worker)) trace::group_begins(worker);
}

TEFF_APART inline void group_ends(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::group_ends(worker, site);
}

// The current task meets a taskloop of so many iterations, and has created its tasks and waited for
// them if it is to.
TEFF_APART inline void taskloop_begins(team::Worker& worker, std::uint64_t iterations, base::CallSite site) {
    if (observed(worker)) ompt::taskloop(worker, true, iterations, site);
}

TEFF_APART inline void taskloop_ends(team::Worker& worker, std::uint64_t iterations, base::CallSite site) {
    if (observed(worker)) ompt::taskloop(worker, false, iterations, site);
}

// The worker goes to sleep, as it found nothing to do; and it has slept, until another ended its
// `sleep` (sync/parker.h; 0: none did). The first returns since when.
TEFF_APART inline base::Ticks idles(team::Worker& worker) {
    const base::Ticks now = base::ticks();
    if (counted(worker)) stat::idles(worker, now);
    return now;
}

TEFF_APART inline void idled(team::Worker& worker, base::Ticks since, std::uint32_t sleep) {
    if (traced(worker)) trace::idled(worker, since, sleep);
    if (counted(worker)) stat::idled(worker);
}

// The worker waits, and finds no task to run.
TEFF_APART inline void ran_out(team::Worker& worker) {
    if (counted(worker)) stat::ran_out(worker);
}

} // namespace teff::task::events
