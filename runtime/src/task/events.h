// SPDX-License-Identifier: Apache-2.0
//
// What tasks report to the probes. Called only while one is on (Worker::probes is not 0), by the
// worker's own thread. Each function serves every sink that is on; the sinks' own halves are in
// events_trace.cpp and events_ompt.cpp. They only tell: they return nothing but times and ids, wake
// nobody, wait for nobody, and run no code of the program (scripts/check_sinks.py).
#pragma once

#include "base/call_site.h"
#include "base/clock.h"
#include "probe/probes.h"
#include "task/depend_items.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::task {
enum class DependKind : std::uint32_t; // depend_table.h
} // namespace teff::task

namespace teff::task::events {

// Do tasks need room for a record between their header and their arguments?
TEFF_COLD bool need_records(const team::Worker& worker);
std::size_t record_bytes();

// What only the construct knows of a new task.
struct Creation {
    base::Ticks met = 0; // when the construct was met
    base::CallSite site = {};
    DependItems depend = {};
    std::uint64_t first_iteration = 0; // taskloop
    std::uint64_t iterations = 0;
};

TEFF_COLD void created(team::Worker& worker, Task& task, const Creation& creation);

// The current task meets a construct that creates tasks, and is through with it. The first returns
// when.
TEFF_COLD base::Ticks construct_begins(team::Worker& worker, base::CallSite site);
TEFF_COLD void construct_ends(team::Worker& worker);

// The body of a task that the worker has taken begins, or is skipped, as the task is cancelled; and
// it is over. `frame`: of the function that calls the body. The first returns what the second will
// need, when the task's block may serve another.
struct Body {
    std::uint64_t task_id = 0;
    std::uint64_t region_id = 0;
    base::Ticks began = 0;
    bool skipped = false;
};
TEFF_COLD Body body_begins(team::Worker& worker, Task& task, void* frame, bool skipped);
TEFF_COLD void body_ends(team::Worker& worker, Task& task, const Body& body);

// The creator of a task has run it at once, since `began`, as its queue is full. `site`:
// Task::site.
TEFF_COLD void ran_at_once(team::Worker& worker, std::uint32_t site, base::Ticks began);

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
};
TEFF_COLD void depends(team::Worker& worker, const Dependence& dependence);

// The worker has called omp_fulfill_event at `when`, for this task. Maybe the task is over already.
TEFF_COLD void fulfilled(team::Worker& worker, std::uint64_t task_id, bool body_ended, base::Ticks when);

// taskwait with a depend clause: to a tool, a task of its own with these dependences, which does
// nothing. Its record is the caller's, and stays until the second call, which a worker of which a
// tool does not hear may leave out.
TEFF_COLD void taskwait_depend_begins(team::Worker& worker, probe::ompt::TaskRecord& record, const DependItems& depend,
                                      base::CallSite site);
TEFF_COLD void taskwait_depend_ends(team::Worker& worker, probe::ompt::TaskRecord& record);

// With a tool: the body of a detachable task is over, before its event was fulfilled (`first`) or
// after; and its event is fulfilled, early or late. The fulfiller may be any thread.
TEFF_COLD void detachable_body_ends(team::Worker& worker, Task& task, bool first);
TEFF_COLD void event_fulfilled(Task& task, bool early);

// The current task waits. The first returns since when, for the second.
enum class Wait : std::uint8_t {
    kTaskwait,
    kTaskgroup,
    kDependences, // until an undeferred task may begin, or a taskwait's dependences are fulfilled
    kYield,       // runs another task, and waits for that
};
TEFF_COLD base::Ticks wait_begins(team::Worker& worker, Wait wait, base::CallSite site);
TEFF_COLD void wait_ends(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks began);

// The current task enters a taskgroup, and leaves it after its wait.
TEFF_COLD void group_begins(team::Worker& worker, base::CallSite site);
TEFF_COLD void group_ends(team::Worker& worker, base::CallSite site);

// The current task meets a taskloop of so many iterations, and has created its tasks and waited for
// them if it is to.
TEFF_COLD void taskloop_begins(team::Worker& worker, std::uint64_t iterations, base::CallSite site);
TEFF_COLD void taskloop_ends(team::Worker& worker, std::uint64_t iterations, base::CallSite site);

// The worker has slept: it found nothing to do.
TEFF_COLD void idled(team::Worker& worker, base::Ticks since);

} // namespace teff::task::events
