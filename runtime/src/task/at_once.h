// SPDX-License-Identifier: Apache-2.0
//
// Tasks that run at once: the body of a kAtOnce task only passes work on to another thread, and the
// task's event is fulfilled when that work is done. So no such task is queued. The thread that
// makes it ready runs it: its creator, the worker that has finished the last predecessor, or a
// thread outside of the team that has fulfilled the event of that predecessor. Therefore the work
// begins without a worker of the team, also outside of regions, where tasks run only at their
// creator's waits.
//
// Such a task is detachable, has no priority, and waits for nothing. Its body may still end the
// task and thereby make the next one ready. The outermost call of run_at_once on a thread runs all
// of them, one after another, so a long chain of tasks uses no more stack than one.
#pragma once

#include "task/task.h"
#include "team/team.h"
#include "team/worker.h"

namespace teff::task {

// Runs a kAtOnce task that has become ready, or leaves it to the thread's outermost call.
TEFF_COLD void run_at_once(team::Worker& worker, Task& task);

inline bool runs_at_once(const Task& task) { return TEFF_UNLIKELY((task.flags & kAtOnce) != 0); }

TEFF_COLD team::Team& team_of_detachable(const Task& task);

// Returns the team of a task that the worker runs. The worker need not be its member if the task
// runs at once.
inline team::Team& team_of(const team::Worker& worker, const Task& task) {
    return runs_at_once(task) ? team_of_detachable(task) : *worker.member->team;
}

} // namespace teff::task
