// SPDX-License-Identifier: Apache-2.0
//
// Events of work-sharing.
//
// Some programs call the runtime at the start of a `single`, or of a scope with task reductions,
// but not at the end of its body (those that GCC builds). So the runtime reports the end at the
// task's next event that cannot lie inside the body: a barrier, another work-sharing construct, or
// the task's end.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

void work_begins(ThreadRecord& thread, ompt_work_t kind, std::uint64_t count, const void* code);
void work_ends(ThreadRecord& thread, ompt_work_t kind, std::uint64_t count, const void* code);

// The current task met `single`. If `executor` is true, the task runs the body.
void single_begins(ThreadRecord& thread, const void* code, bool executor);

// The current task has met a scope construct.
void scope_begins(ThreadRecord& thread, const void* code);

// Reports the end of a `single` or scope whose body the current task has left, if there is one.
inline void end_open_work(ThreadRecord& thread) {
    TaskRecord* task = thread.current();
    if (task == nullptr || task->open_work == ompt_work_t{}) return;
    const ompt_work_t kind = task->open_work;
    task->open_work = {};
    work_ends(thread, kind, 1, task->open_work_code);
}

// The current task met a construct whose part for the thread the program computes from bounds, or
// is past it. `count`: all iterations or sections. At the end, `count` is that of the begin.
void static_begins(ThreadRecord& thread, ompt_work_t kind, std::uint64_t count, base::CallSite site);
void static_ends(ThreadRecord& thread, base::CallSite site);

// The current task begins or ends the body of masked.
void masked(ThreadRecord& thread, ompt_scope_endpoint_t endpoint, base::CallSite site);

// The current task has got a section or a chunk of iterations to run.
void section_dispatched(ThreadRecord& thread, const void* code);
void chunk_dispatched(ThreadRecord& thread, ompt_dispatch_t kind, ompt_dispatch_chunk_t chunk);

} // namespace teff::probe::ompt
