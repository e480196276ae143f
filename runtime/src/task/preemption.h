// SPDX-License-Identifier: Apache-2.0
//
// Preemption of tasks: which worker is asked to leave its task when a task of higher priority
// becomes ready, and how this worker leaves the task. preempt/ sends the request (by signals), and
// finds an instruction at which the program can be left; its signal handler calls the hooks of this
// file.
//
// One worker is asked: the team's worker that runs the explicit task of the lowest priority. It is
// asked only if
// - that priority is lower than the new task's,
// - no member is idle (idle members are woken anyway),
// - its task is likely to run for longer than a preemption costs (run_times.h).
//
// If a context becomes ready, its own worker is asked, because the context continues on this
// worker.
//
// The asking thread reads the current task of each worker. A worker outside of tasks is not asked:
// it looks for tasks of higher priorities before it begins a task, and when it has come back to a
// task ([begin-1], preemption.cpp). The result of the read may be out of date; a request to the
// wrong worker costs a signal. If no worker was asked for the ready task, the next worker that ends
// its own task takes the ready task. If all running tasks seemed to end soon, the asking thread
// looks again after a millisecond (preempt::watch).
//
// The asked worker's task becomes a ready context, first in line (team/ready_contexts.h). The new
// task starts on a fresh context, if the task scheduling constraints allow it (constraint.h): while
// a tied task is preempted, its descendants and untied tasks may start, and any task if the
// constraints are relaxed. Implicit tasks are not preempted, and neither are tasks in a process
// that a tool observes. In the handler, the interrupted thread is not inside a function of the
// runtime, so it holds no lock of the runtime and can take these locks as usual. The thread is not
// inside the recorder either, so the stream, which has one writer and no lock, is between two
// records.
#pragma once

#include "preempt/preempt.h"
#include "task/task.h"
#include "team/team.h"

namespace teff::task {

// Called once, before the first worker begins.
void initialise_preemption();

// For a task that runs at the bottom of a context (moving.h), while preemption is on: what
// run_preemptible does before and after the task's body. If begin_on_context returns false, another
// task goes first, and the task is queued again.
[[nodiscard]] bool begin_on_context(team::Worker& worker, Task& task);
void end_on_context(team::Worker& worker, const void* function);

// Called by the worker's thread, before its first task and after its last.
void begin_preemptible(team::Worker& worker);
void end_preemptible(team::Worker& worker);

TEFF_COLD void ask_for(team::Team& team, team::Worker* self, std::int32_t priority);

// Called when the current task has created a ready task of a higher priority. The new task runs
// first on this worker, if it may start here and no other worker takes it.
TEFF_COLD void give_way_to_higher(team::Worker& worker);

// Switches preemption on or off (preempt::set_active), and returns the previous setting. If it is
// switched on, tasks of the calling worker's team that have become ready in the meantime are
// served.
bool set_preemption(bool wanted);

// Called while preemption is on: keep_run when the worker leaves the task on its context,
// go_on_with_run when it has come back.
TEFF_COLD void keep_run(team::Worker& worker, team::Context& self);
TEFF_COLD void go_on_with_run(team::Worker& worker, const team::Context& self);

// Called when the worker has come back to its task, which is about to continue in the program.
TEFF_COLD void came_back(team::Worker& worker);
// The same for a task that has just taken a lock: the worker looks when the task has released it.
TEFF_COLD void look_after_release(team::Worker& worker);

// Called when a task has been made ready in `team`. `self`: the worker that made the task ready;
// null if this was not a member of the team.
inline void ask_for_task(team::Team& team, team::Worker* self, std::int32_t priority) {
    if (TEFF_UNLIKELY(priority > 0) && preempt::is_active()) ask_for(team, self, priority);
}

} // namespace teff::task
