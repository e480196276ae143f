// SPDX-License-Identifier: Apache-2.0
//
// Determines for which of its siblings a task has to wait. All siblings are created by one process,
// which keeps their order, so no message is needed. mutexinoutset and inoutset are treated as
// inout, which runs the tasks in order; the specification allows this.
#pragma once

#include "processes/task.h"
#include "task/depend_items.h"

namespace teff::processes::dependences {

// Whether the task may run at once.
bool add(Task& task, const task::DependItems& items);
// The task has ended: calls `ready` for each that waits for nothing more.
void release(Task& task, void (*ready)(Task*));
// Its children's table: the task creates no more.
void forget(Task& task);

} // namespace teff::processes::dependences
