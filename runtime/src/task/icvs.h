// SPDX-License-Identifier: Apache-2.0
//
// The internal control variables of tasks: who owns the set that a task reads.
//
// A task that has changed none has its parent's set, which stays as it is meanwhile: that of the
// implicit tasks of a region is the Team's, or its creating task's, which waits for the region's
// end. The first change gives the task a copy of its own (kOwnIcvs), which it changes in place from
// then on. The children of such a task may outlive the next change, and the task: each of them
// starts with a copy of its own. So each set has one owner, and goes with it: no count, no lock, no
// more sets than tasks that live.
//
// A task's own thread alone touches its set; it lies in a block, so a profiler's late look finds
// memory.
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
