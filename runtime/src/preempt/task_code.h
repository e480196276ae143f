// SPDX-License-Identifier: Apache-2.0
//
// Which tasks may be preempted in a program that has thread-local variables: the tasks whose
// function reaches none of them (reach.h). Such a task cannot notice that another task has changed
// a variable, and leaves none of them in the middle of a change.
//
// This file owns one verdict for each function of which a task has begun.
//
//     not looked at ──the first task begins──> being looked at ──> free, or bound
//
// While one thread looks at a function, the function counts as bound for the other threads. A
// verdict never changes. If the table is full, further functions are bound.
// [verdict-1] A thread takes an entry of the table by storing the function there
//             (compare-and-exchange, relaxed), and stores the verdict (release). A thread that
//             loads a verdict (acquire) sees what was found out for it.
//
// Cost: one look at a function takes 2 to 10 microseconds if it reaches a few KiB of code, and 0.6
// milliseconds for the most code that is looked at. Later tasks of the function cost a look-up in
// the table. Other programs only test `by_function`, when a task begins while preemption is on.
//
// Who may touch what: any thread. `task_is_free` may allocate memory and print a line, so it is
// called when a task begins, not in signal handlers that interrupt a library.
#pragma once

#include "preempt/hold.h"
#include "preempt/loaded.h"

namespace teff::preempt {

// Called before any task has begun: from now on tasks are preempted by function. `program` must
// stay loaded. Returns false if there is no memory.
[[nodiscard]] bool preempt_by_function(const Loaded& program);

// Returns true if tasks of this function may be preempted. Requires leaves_by_function (hold.h).
// `function` may lie in any file; only code of the program's own file is ever free.
bool task_is_free(const void* function);

} // namespace teff::preempt
