// SPDX-License-Identifier: Apache-2.0
//
// The internal control variables (ICVs) of tasks: which task owns the set of ICVs that a task
// reads.
//
// A task that has changed no ICV reads its parent's set, which does not change meanwhile. The
// implicit tasks of a region read the Team's set, or the set of the creating task, which waits for
// the region's end. At its first change, a task gets its own copy of the set (kOwnIcvs), and later
// changes are made in this copy. Children of such a task each start with a copy, because they may
// outlive the task's next change, and the task itself. So each set has one owner and is freed with
// its owner, without a count or a lock, and there are never more sets than living tasks.
//
// Only a task's own thread accesses the task's set. The set lies in a block of the BlockCache, so
// if a profiler reads the set too late, it still finds valid memory.
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
