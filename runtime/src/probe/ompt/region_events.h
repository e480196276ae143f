// SPDX-License-Identifier: Apache-2.0
//
// Events of threads, parallel regions and implicit tasks. Called by the thread whose record is
// `thread`. The caller owns the records. Records that are not passed in are found through the
// thread's current task.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

// `make_known` initialises a thread's record before the tool can find the record. `thread_begins`
// and `thread_ends` then notify the tool.
void make_known(ThreadRecord& thread);
void thread_begins(ThreadRecord& thread, ompt_thread_t type);
void thread_ends(ThreadRecord& thread);

// Called when the tool ends while the thread stays in its initial task. Notifies the tool that open
// work, the initial task and the thread end. The records keep their contents, apart from the
// thread's state and the open work.
void tool_leaves(ThreadRecord& thread, unsigned index);

// An initial task begins or ends: the task of a thread, of a target region, or of the team number
// `index` in a league of `size` teams.
void initial_task_begins(ThreadRecord& thread, TaskRecord& task, ParallelRecord& parallel, unsigned size,
                         unsigned index);
void initial_task_ends(ThreadRecord& thread, unsigned index);

// The current task meets a parallel or teams construct, or is past it. The task stays the current
// task until a task of the region begins on this thread.
void parallel_begins(ThreadRecord& thread, ParallelRecord& parallel, unsigned requested, int flags,
                     base::CallSite site);
void parallel_ends(ThreadRecord& thread, ParallelRecord& parallel, const void* code);

// Member `number` of a team begins its part. `encountering` is the task that met the construct.
void implicit_task_begins(ThreadRecord& thread, TaskRecord& task, ParallelRecord& parallel, TaskRecord* encountering,
                          unsigned number);
// The thread's current implicit task ends: it is past the barrier at the region's end.
void implicit_task_ends(ThreadRecord& thread);

// The code of the current task begins or ends. `frame` is the runtime's frame that calls the code.
void body_begins(ThreadRecord& thread, void* frame);
void body_ends(ThreadRecord& thread);
// The program itself calls the code of the current task, from the frame that has called the runtime
// at `site`. The task's exit_frame is the lowest address of that frame at the call. The code of an
// implicit task ends at join_begins (sync_events.h).
void program_begins_body(ThreadRecord& thread, base::CallSite site);

} // namespace teff::probe::ompt
