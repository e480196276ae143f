// SPDX-License-Identifier: Apache-2.0
//
// Events of threads, parallel regions and implicit tasks. To be called by the thread that `thread`
// stands for. The records are the caller's; what these functions do not get they find by the
// thread's current task.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

// A thread comes: its record is fresh before the tool can find it, then the tool is notified. It
// goes.
void make_known(ThreadRecord& thread);
void thread_begins(ThreadRecord& thread, ompt_thread_t type);
void thread_ends(ThreadRecord& thread);

// The tool goes, but the thread stays, in its initial task: what was open is told to be over. The
// records stay as they are.
void tool_leaves(ThreadRecord& thread, unsigned index);

// An initial task: of a thread, of a target region, or of a team number `index` of a league of
// `size`.
void initial_task_begins(ThreadRecord& thread, TaskRecord& task, ParallelRecord& parallel, unsigned size,
                         unsigned index);
void initial_task_ends(ThreadRecord& thread, unsigned index);

// The current task meets a parallel or teams construct; it stays the current task until one of the
// region's begins on this thread.
void parallel_begins(ThreadRecord& thread, ParallelRecord& parallel, unsigned requested, int flags,
                     base::CallSite site);
void parallel_ends(ThreadRecord& thread, ParallelRecord& parallel, const void* code);

// Member `number` of a team begins its part. `encountering` is the task that met the construct.
void implicit_task_begins(ThreadRecord& thread, TaskRecord& task, ParallelRecord& parallel, TaskRecord* encountering,
                          unsigned number);
// ... and is past the barrier at the region's end.
void implicit_task_ends(ThreadRecord& thread);

// The code of the current task is called from `frame`, a frame of the runtime.
void body_begins(ThreadRecord& thread, void* frame);
void body_ends(ThreadRecord& thread);

} // namespace teff::probe::ompt
