// SPDX-License-Identifier: Apache-2.0
//
// Preemption of tasks: which worker to ask when a task of higher priority becomes ready, and how
// the asked worker leaves the task that it runs. preempt/ does the asking (signals), and finds the
// instruction at which the program can be left; it calls the hooks of this file in its signal
// handler.
//
// One worker is asked: the worker of the team that runs the explicit task of the lowest priority.
// It is asked only if that priority is lower than the new task's, if no member is idle, as idle
// members are woken anyway, and if its task is likely to run for longer than a preemption costs
// (run_times.h). A context that becomes ready goes on where it was left, so its own worker is
// asked.
//
// The asking thread reads the current task of each worker. A worker that is outside of tasks is not
// asked: it looks for higher priorities before it begins a task, and when it has come back to one
// ([begin-1], preemption.cpp). The result of the read may be out of date. A request to the wrong
// worker costs a signal. A task for which no worker was asked is taken by the next worker that ends
// its own task; if all tasks seemed to end soon, the asking thread looks again after a millisecond
// (preempt::watch).
//
// The asked worker's task becomes a ready context, first in line (team/ready_contexts.h). The new
// task starts on a fresh context, if the task scheduling constraints allow it (constraint.h): while
// a tied task is preempted, its descendants and untied tasks may start, and any task where the
// constraints are relaxed. Implicit tasks are not preempted, nor are tasks in a process that a tool
// observes. In the handler the thread is in none of the runtime's functions, so it holds none of
// the runtime's locks, and takes them as usual. The thread is not in the recorder either, so the
// stream, which has one writer and no lock, is between two records.
#pragma once

#include "preempt/preempt.h"
#include "task/task.h"
#include "team/team.h"

namespace teff::task {

// Called once, before the first worker begins.
void initialise_preemption();

// Called by the worker's thread, before its first task and after its last.
void begin_preemptible(team::Worker& worker);
void end_preemptible(team::Worker& worker);

TEFF_COLD void ask_for(team::Team& team, team::Worker* self, std::int32_t priority);

// Called when the current task has created a ready task of a higher priority. The new task goes
// first here, if no other worker takes it and it may start here.
TEFF_COLD void give_way_to_higher(team::Worker& worker);

// Switches preemption off and on (preempt::set_active). When it is switched on, what has become
// ready in the calling worker's team meanwhile is served. Returns what was set before.
bool set_preemption(bool wanted);

// Called while preemption is on, when the worker leaves the task on its context, and when it has
// come back.
TEFF_COLD void keep_run(team::Worker& worker, team::Context& self);
TEFF_COLD void go_on_with_run(team::Worker& worker, const team::Context& self);

// Called when the worker has come back to its task, which will go on in the program.
TEFF_COLD void came_back(team::Worker& worker);

// Called when a task has been made ready in `team`. `self`: the worker that made it ready; null if
// no member of the team did.
inline void ask_for_task(team::Team& team, team::Worker* self, std::int32_t priority) {
    if (TEFF_UNLIKELY(priority > 0) && preempt::is_active()) ask_for(team, self, priority);
}

} // namespace teff::task
