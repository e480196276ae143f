// SPDX-License-Identifier: Apache-2.0
// Changing the current task's internal control variables, for the routines that set one.
#pragma once

#include "icv/icv.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::task {

// Tasks share the sets of values that they inherit, and a set may have to outlive the task that made it: its children inherited it, and may
// go on when it has ended. So sets are never changed and never freed, and equal ones are one: the program has as many as it has
// different settings. `change` gets a copy of the current set to change.
const icv::TaskIcvs* interned(const icv::TaskIcvs& values);

template <class Change> void change_icvs(team::Worker& worker, Change&& change) {
    icv::TaskIcvs values = *worker.task->icvs;
    change(values);
    worker.task->icvs = interned(values);
}

// In a forked child: whoever held the table's lock is gone.
void forget_other_threads();

} // namespace teff::task
