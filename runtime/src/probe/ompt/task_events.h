// SPDX-License-Identifier: Apache-2.0
// Events of explicit tasks, from their creation to their end or cancellation.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

// The current task creates `task`, whose record may be uninitialised memory. `data` is the tool's
// word; if null, the word in the record is used. `flags` are of ompt_task_flag_t.
void task_created(ThreadRecord& thread, TaskRecord& task, ompt_data_t* data, int flags, bool has_dependences,
                  base::CallSite site);

// `dependences_given` tells the dependences of a new task. `dependence_awaited` tells that the task
// `sink` has to wait for the task whose data word is `source`.
void dependences_given(const TaskRecord& task, const ompt_dependence_t* items, int count);
void dependence_awaited(ompt_data_t* source, const TaskRecord& sink);

// `task_begins`: the current task gives way to `task`, whose code is called from `frame`.
// `task_ends`: `task` gives way to the task below it, for the reason `status`.
void task_begins(ThreadRecord& thread, TaskRecord& task, void* frame);
void task_ends(ThreadRecord& thread, TaskRecord& task, ompt_task_status_t status);

// Notifies the tool of a change from `prior` to `next`, as task_ends does, but changes no record.
// Used if a task's end becomes known when the task is no longer the current task.
void task_status(TaskRecord& prior, ompt_task_status_t status, TaskRecord* next);

// `task` was cancelled before it began.
void task_discarded(TaskRecord& task, int cancelled_construct);

// The current task met `cancel` or `cancellation point`. `flags` are of ompt_cancel_flag_t.
void cancellation(ThreadRecord& thread, int flags, const void* code);

} // namespace teff::probe::ompt
