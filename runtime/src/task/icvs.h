// SPDX-License-Identifier: Apache-2.0
//
// The internal control variables of tasks: who owns the set that a task reads.
//
// A task that has changed no variable reads its parent's set, which does not change meanwhile. The
// implicit tasks of a region read the Team's set, or that of the creating task, which waits for the
// region's end. At its first change a task gets a copy of its own (kOwnIcvs), which it changes in
// place from then on. The children of such a task may outlive its next change, and the task itself,
// so each of them starts with a copy. So each set has one owner and is freed with it, without a
// count or a lock, and there are no more sets than living tasks.
//
// Only a task's own thread touches its set. The set lies in a block, so a profiler's late look
// finds valid memory.
#pragma once

#include "icv/icv.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::task {

// The task's own set; it gets one with the values that it has now if it had none.
TEFF_COLD icv::TaskIcvs& own_icvs(team::Worker& worker, Task& task);

// The task, which has a set of its own, ends.
TEFF_COLD void give_back_icvs(team::Worker& worker, Task& task);

// Changes the current task's, for the routines that set one.
template <class Change> void change_icvs(team::Worker& worker, Change&& change) {
    change(own_icvs(worker, *worker.task));
}

} // namespace teff::task
