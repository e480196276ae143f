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
// Called when the task has ended: calls `ready` for each task that now waits for no other task.
void release(Task& task, void (*ready)(Task*));
// Called when the task creates no more children: drops the table of its children.
void forget(Task& task);

} // namespace teff::processes::dependences
