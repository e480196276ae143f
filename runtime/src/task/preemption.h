// SPDX-License-Identifier: Apache-2.0
//
// Preemption of tasks: whom to ask when a task of higher priority becomes ready, and how the asked
// worker leaves the task that it runs. preempt/ does the asking (signals), and finds the
// instruction at which the program can be left; it calls the hooks here, in its signal handler.
//
// One worker is asked: the one of the team that runs the explicit task of the lowest priority. It
// is asked only if that priority is lower than the new task's, and if no member is idle, as idle
// ones are woken anyway. A context that becomes ready goes on where it was left, so its own worker
// is asked.
//
// What a worker runs is found by a look at its current task, for which the worker does nothing, and
// which may be out of date. A request to the wrong worker costs a signal. A task for which no
// worker was asked is taken by the next worker that ends its own task.
//
// The asked worker's task becomes a ready context, first in line (team/ready_contexts.h), and the
// new task starts on a fresh one, if the task scheduling constraints allow (constraint.h): beside a
// tied task its descendants and untied tasks. Implicit tasks are not preempted, nor are tasks in a
// process that a tool watches. In the handler the thread is in none of the runtime's functions, so
// it holds none of its locks, and takes them as everywhere. Nor is it in the recorder, so the
// stream, which has one writer and no lock, is between two records.
#pragma once

#include "preempt/hold.h"
#include "task/task.h"
#include "team/team.h"

namespace teff::task {

// Once, before the first worker begins.
void initialise_preemption();

// By the worker's thread, before its first task and after its last.
void begin_preemptible(team::Worker& worker);
void end_preemptible(team::Worker& worker);

TEFF_COLD void ask_for(team::Team& team, const team::Worker* self, std::int32_t priority);

// The current task has made one ready of a higher priority, by creating it: that goes first here,
// if nobody else takes it and it may start here.
TEFF_COLD void give_way_to_higher(team::Worker& worker);

// A task has been made ready in this team by this worker, or by no member of it (null).
inline void ask_for_task(team::Team& team, const team::Worker* self, std::int32_t priority) {
    if (TEFF_UNLIKELY(priority > 0) && preempt::is_on()) ask_for(team, self, priority);
}

} // namespace teff::task
