// SPDX-License-Identifier: Apache-2.0
//
// The internal control variables of tasks: which task owns the set that a task reads.
//
// A task that has changed no variable reads its parent's set, which does not change meanwhile. The
// implicit tasks of a region read the Team's set, or the set of the creating task, which waits for
// the region's end. At its first change, a task gets a copy of its own (kOwnIcvs), which the task
// changes in place from then on. The children of such a task may outlive the task's next change,
// and the task itself, so each of these children starts with a copy. So each set has one owner and
// is freed with its owner, without a count or a lock, and the number of sets never exceeds the
// number of living tasks.
//
// Only a task's own thread accesses the task's set. The set lies in a block, so a profiler that
// reads it too late still finds valid memory.
#pragma once

#include "icv/icv.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::task {

// Returns the task's own set. A task that had none gets a set with its current values.
TEFF_COLD icv::TaskIcvs& own_icvs(team::Worker& worker, Task& task);

// Gives back the set of `task`. Requires that the task has a set of its own, and ends.
TEFF_COLD void give_back_icvs(team::Worker& worker, Task& task);

// Changes the set of the current task, for the routines that set a variable.
template <class Change> void change_icvs(team::Worker& worker, Change&& change) {
    change(own_icvs(worker, *worker.task));
}

} // namespace teff::task
