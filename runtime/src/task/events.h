// SPDX-License-Identifier: Apache-2.0
//
// The events that tasks report to the probes. The functions are called only while a probe is on
// (Worker::probes is not 0), by the worker's own thread. Each function reports to every sink that
// is on; the code for each sink is in events_trace.cpp, events_ompt.cpp and events_stat.cpp. The
// functions only report: they return nothing but times and ids, wake no thread, wait for no thread,
// and run no code of the program (scripts/check_sinks.py).
#pragma once

#include "base/call_site.h"
#include "base/clock.h"
#include "task/depend_items.h"
#include "task/depend_table.h"
#include "task/events_fragments.h"
#include "task/task.h"
#include "team/probes.h"
#include "team/team.h"

namespace teff::task::events {

// Properties of a new task that only the construct knows.
struct Creation {
    base::Ticks met = 0; // when the construct was met
    base::CallSite site = {};
    DependItems depend = {};
    std::uint64_t first_iteration = 0; // taskloop
    std::uint64_t iterations = 0;
};

// Data about the start of a task's body, needed at its end. At the end the task's block may already
// serve another task.
struct Body {
    std::uint64_t task_id = 0;
    std::uint64_t region_id = 0;
    base::Ticks began = 0;
    bool skipped = false;
    bool on_top = false; // of its creator, as the task is undeferred
};

// Return a tool's record of an explicit task. record_behind requires that the task has a record;
// record_of returns null if the task has none.
inline probe::ompt::TaskRecord* record_behind(Task& task) {
    return reinterpret_cast<probe::ompt::TaskRecord*>(&task + 1);
}
inline probe::ompt::TaskRecord* record_of(Task& task) {
    return (task.flags & kObserved) != 0 ? record_behind(task) : nullptr;
}

// A dependence: a task (the successor) is about to wait for another child of its parent (the
// predecessor), even if the predecessor finishes meanwhile.
struct Dependence {
    DependNode& predecessor;
    std::uint64_t successor_id;
    void* address;                 // null: all memory
    ItemKind kind;                 // the successor's dependence type for the address
    DependKind predecessor_kind;   // the predecessor's access to the address
    probe::ompt::TaskRecord* sink; // the successor's record for a tool, or null
    bool unfulfilled;
    bool of_wait; // the successor is a taskwait in the task `successor_id`
};

// The kinds of waits of a task.
enum class Wait : std::uint8_t {
    kTaskwait,
    kTaskgroup,
    kDependences, // until an undeferred task may begin, or a taskwait's dependences are fulfilled
    kYield,       // runs another task and waits for it, or gives way to a task on another context
};

// The outcome of a request to leave a task for a task of a higher priority: another task took its
// place, no task was to take its place, or the worker looked before it served the request.
enum class Answer : std::uint8_t { kPreempted, kNothing, kByItself };

struct Request {
    base::Ticks asked; // when the worker was asked; 0: not known
    std::int32_t priority;
    Answer answer;
};

// The current task has been preempted, and is about to continue.
struct Preemption {
    base::Ticks left;
    std::int32_t by;  // the priority of the preempting task
    base::Ticks rest; // how much longer the task was expected to run when it was preempted; 0: not known
    bool pays;        // false if `rest` is known to be shorter than a preemption takes
};

// The sinks' halves. events_trace.cpp appends records to the worker's stream; events_ompt.cpp
// notifies the tool; events_stat.cpp counts. Each is called only while its sink is on.
namespace trace {
void created(team::Worker& worker, Task& task, const Creation& creation);
const char* begins_at_once(team::Worker& worker, Task& task, const Creation& creation); // see Stream
void creation_ends(team::Worker& worker);
void creation_ended(team::Worker& worker, base::Ticks when);
void depends(team::Worker& worker, const Dependence& dependence);
void ran_at_once(team::Worker& worker, std::uint32_t site, base::Ticks began);
void fulfilled(team::Worker& worker, std::uint64_t task_id, bool body_ended, base::Ticks when);
void group_begins(team::Worker& worker);
void idled(team::Worker& worker, base::Ticks since, std::uint32_t sleep);
void body_ends(team::Worker& worker, const Body& body, base::Ticks ended);
void waited(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks began, base::Ticks ended);
void answered(team::Worker& worker, const Request& request, base::Ticks looked);
void preempted(team::Worker& worker, base::Ticks left, base::Ticks ended);
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
// A task that is about to be created depends on `tasks` others, of which `unfulfilled` have not
// ended.
void depends_on(team::Worker& worker, std::uint32_t tasks, std::uint32_t unfulfilled);
void waits(team::Worker& worker, base::Ticks now);
void waited(team::Worker& worker);
void ran_out(team::Worker& worker);
void idles(team::Worker& worker, base::Ticks now);
void idled(team::Worker& worker);
// A task of a priority above 0 has run. It became ready at `ready` (0: not known), and began at
// `began`.
void ran(team::Worker& worker, std::int32_t priority, base::Ticks ready, base::Ticks began);
void answered(team::Worker& worker, const Request& request, base::Ticks looked);
void preempted(team::Worker& worker, const Preemption& preemption);
} // namespace stat

// The interface.

// Returns how many bytes tasks need for a tool's record, between the header and the arguments.
std::size_t record_bytes();

// Returns true if a simple task must be created on the general path, because a sink asks for more
// than the task's creation. Not inline, because inline code would cost each creation more
// instructions.
TEFF_COLD bool need_whole_path(const team::Worker& worker);

// created: a task has been created, and will soon be ready. creation_ends: the creator has finished
// the creation. Between the two calls, an undeferred task may begin or wait to begin, or a deferred
// task may be run at once; in these cases the creation ends at that point. simply_created and
// simple_creation_ends: the same where need_whole_path has returned false, so that no fragments are
// counted.
TEFF_APART inline void simply_created(team::Worker& worker, Task& task, const Creation& creation) {
    if (traced(worker)) trace::created(worker, task, creation);
    if (observed(worker)) ompt::created(worker, task, creation);
    if (counted(worker)) stat::created(worker, task, creation);
}

TEFF_APART inline void created(team::Worker& worker, Task& task, const Creation& creation) {
    fragment_ends(worker);
    simply_created(worker, task, creation);
}

TEFF_APART inline void simple_creation_ends(team::Worker& worker) {
    if (traced(worker)) trace::creation_ends(worker);
    if (counted(worker)) stat::creation_ends(worker);
}

TEFF_APART inline void creation_ends(team::Worker& worker) {
    simple_creation_ends(worker);
    fragment_begins(worker);
}

// construct_begins: the current task meets a construct that creates tasks. construct_ends: the task
// has finished the construct. construct_begins returns the time at which the construct was met:
// `met`, or the present time if `met` is 0.
TEFF_APART inline base::Ticks construct_begins(team::Worker& worker, base::CallSite site, base::Ticks met) {
    fragment_ends(worker);
    if (observed(worker)) ompt::construct_begins(worker, site);
    return met != 0 ? met : team::event_ticks(worker);
}

TEFF_APART inline void construct_ends(team::Worker& worker) {
    if (observed(worker)) ompt::construct_ends(worker);
    fragment_begins(worker);
}

// body_begins: the body of a task that the worker has taken is about to begin, or to be skipped
// because the task is cancelled. body_ends: the body ended at `ended`. `frame`: the frame of the
// function that calls the body. body_begins returns the data that body_ends needs, because the
// task's block may serve another task by then. The caller sets the result's `began`, so that as
// little as possible of the runtime's time counts as the task's.
TEFF_APART inline Body body_begins(team::Worker& worker, Task& task, void* frame, bool skipped) {
    if (observed(worker)) ompt::body_begins(worker, task, frame, skipped);
    if (traced(worker) && (task.flags & kUndeferred) != 0) trace::creation_ends(worker);
    return {.task_id = task.id,
            .region_id = worker.member->team->recording.region_id,
            .skipped = skipped,
            .on_top = (task.flags & kUndeferred) != 0};
}

// The body has begun, and `body.began` is set.
inline void body_began(team::Worker& worker, const Task& task, const Body& body) {
    if (counted(worker)) stat::body_began(worker, task, body);
    fragment_begins(worker);
}

TEFF_APART inline void body_ends(team::Worker& worker, Task& task, const Body& body, base::Ticks ended) {
    fragment_ends(worker);
    if (counted(worker)) stat::body_ends(worker, task, body, ended);
    if (traced(worker)) trace::body_ends(worker, body, ended);
    if (observed(worker)) ompt::body_ends(worker, task);
}

// The successors of a finished task have been notified.
TEFF_APART inline void dependences_released(team::Worker& worker) {
    if (counted(worker)) stat::dependences_released(worker);
}

// runs_at_once: the creator of a task is about to run it at once because the creator's queue is
// full. Returns the present time. ran_at_once: the creator has run the task since `began`. `site`:
// the task's Task::site.
TEFF_APART inline base::Ticks runs_at_once(team::Worker& worker) {
    const base::Ticks now = base::ticks();
    if (traced(worker)) trace::creation_ended(worker, now);
    if (counted(worker)) stat::runs_at_once(worker, now);
    return now;
}

TEFF_APART inline void ran_at_once(team::Worker& worker, std::uint32_t site, base::Ticks began) {
    if (traced(worker)) trace::ran_at_once(worker, site, began);
}

// A task waits for another task.
TEFF_APART inline void depends(team::Worker& worker, const Dependence& dependence) {
    const std::uint64_t predecessor_id = dependence.predecessor.task_id;
    if (predecessor_id == dependence.successor_id) return; // the same address twice in one construct
    if (traced(worker)) trace::depends(worker, dependence);
    if (observed(worker)) ompt::depends(dependence);
    if (counted(worker)) stat::depends_on(worker, 1, dependence.unfulfilled ? 1 : 0);
}

// The worker has called omp_fulfill_event at `when`, for this task, and is about to return from the
// call. The task may already be over.
TEFF_APART inline void fulfilled(team::Worker& worker, std::uint64_t task_id, bool body_ended, base::Ticks when) {
    if (traced(worker)) trace::fulfilled(worker, task_id, body_ended, when);
}

// A taskwait with a depend clause begins and ends. To a tool it is a task of its own, which has
// these dependences and does nothing. `record` belongs to the caller, and stays valid until
// taskwait_depend_ends. A worker whose events go to no tool may leave out taskwait_depend_ends.
TEFF_APART inline void taskwait_depend_begins(team::Worker& worker, probe::ompt::TaskRecord& record,
                                              const DependItems& depend, base::CallSite site) {
    if (observed(worker)) ompt::taskwait_depend_begins(worker, record, depend, site);
}

TEFF_APART inline void taskwait_depend_ends(team::Worker& worker, probe::ompt::TaskRecord& record) {
    if (observed(worker)) ompt::taskwait_depend_ends(record);
}

// Called only with a tool, and never both at once for one task. detachable_body_ends: the body of a
// detachable task is over or is skipped, before its event was fulfilled (`first`) or after.
// event_fulfilled: the task's event is fulfilled, early or late. Any thread may call
// event_fulfilled, because any thread may be the fulfiller.
TEFF_APART inline void detachable_body_ends(team::Worker& worker, Task& task, bool first) {
    if (observed(worker))
        ompt::detachable_body_ends(worker, task, first); // otherwise this worker began after the tool's end
}

TEFF_APART inline void event_fulfilled(Task& task, bool early) { ompt::event_fulfilled(task, early); }

// The worker is back in the current task, after other tasks have run in its wait for a lock or a
// turn, to which no events belong here.
TEFF_APART inline void goes_on(team::Worker& worker) {
    if (counted(worker)) stat::waited(worker);
}

// wait_begins: the current task begins to wait. Returns the time of the wait's begin, for
// wait_ends: `met`, or the present time if `met` is 0. wait_ends: the wait is over.
TEFF_APART inline base::Ticks wait_begins(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks met = 0) {
    if (team::observed_or_counts_fragments(worker)) {
        fragment_ends(worker);
        if (observed(worker)) ompt::wait_begins(worker, wait, site);
    }
    worker.task->departures = 0;
    const base::Ticks now = met != 0 ? met : team::event_ticks(worker);
    if (wait == Wait::kDependences && traced(worker)) trace::creation_ended(worker, now);
    if (counted(worker)) stat::waits(worker, now);
    return now;
}

TEFF_APART inline void wait_ends(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks began) {
    if (counted(worker)) stat::waited(worker);
    if (const base::Ticks ended = team::recorded_until(worker, began)) trace::waited(worker, wait, site, began, ended);
    if (team::observed_or_counts_fragments(worker)) {
        if (observed(worker)) ompt::wait_ends(worker, wait, site);
        fragment_begins(worker);
    }
}

// The current task leaves its stack to other tasks.
TEFF_APART inline void departs(team::Worker& worker) {
    if (worker.task->departures != UINT8_MAX) ++worker.task->departures;
}

// The counts of the worker's turns have changed (team/turns.h).
TEFF_APART inline void turned(team::Worker& worker) {
    if (traced(worker)) trace::turned(worker);
}

// The worker was asked to give way, and has looked for a task of a higher priority at this moment.
TEFF_APART inline void answered(team::Worker& worker, const Request& request) {
    const base::Ticks looked = base::ticks();
    if (traced(worker)) trace::answered(worker, request, looked);
    if (counted(worker)) stat::answered(worker, request, looked);
}

// The current task is back on its stack, after it was preempted.
TEFF_APART inline void preempted(team::Worker& worker, const Preemption& preemption) {
    if (const base::Ticks ended = team::recorded_until(worker, preemption.left))
        trace::preempted(worker, preemption.left, ended);
    if (counted(worker)) stat::preempted(worker, preemption);
    fragment_begins(worker);
}

// group_begins: the current task enters a taskgroup. group_ends: the task leaves the taskgroup
// after its wait.
TEFF_APART inline void group_begins(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::group_begins(worker, site);
    if (traced(worker)) trace::group_begins(worker);
}

TEFF_APART inline void group_ends(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::group_ends(worker, site);
}

// taskloop_begins: the current task meets a taskloop of `iterations` iterations, whose implicit
// taskgroup, if it has one, has begun. taskloop_ends: the task has created the taskloop's tasks;
// the end of the taskgroup follows.
TEFF_APART inline void taskloop_begins(team::Worker& worker, std::uint64_t iterations, base::CallSite site) {
    if (observed(worker)) ompt::taskloop(worker, true, iterations, site);
}

TEFF_APART inline void taskloop_ends(team::Worker& worker, std::uint64_t iterations, base::CallSite site) {
    if (observed(worker)) ompt::taskloop(worker, false, iterations, site);
}

// idles: the worker goes to sleep because it found nothing to do. Returns the present time. idled:
// the worker has slept since `since`. `sleep`: the number of the sleep if another thread ended it
// (sync/parker.h); 0: no thread ended it.
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
