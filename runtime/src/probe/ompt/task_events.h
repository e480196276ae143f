// SPDX-License-Identifier: Apache-2.0
// Events of explicit tasks and of what becomes of them.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

// The current task creates `task`, whose record is fresh memory. `data` is the tool's word, or null
// for the record's own. For the flags see ompt_task_flag_t.
void task_created(ThreadRecord& thread, TaskRecord& task, ompt_data_t* data, int flags, bool has_dependences,
                  base::CallSite site);

// The dependences that a task was created with, and one of them that it has to wait for.
void dependences_given(const TaskRecord& task, const ompt_dependence_t* items, int count);
void dependence_awaited(ompt_data_t* source, const TaskRecord& sink);

// The current task gives way to `task`, whose code is called from `frame`; and the other way round,
// for the reason given.
void task_begins(ThreadRecord& thread, TaskRecord& task, void* frame);
void task_ends(ThreadRecord& thread, TaskRecord& task, ompt_task_status_t status);

// What task_ends tells of a task whose end is known later: it is not the current one any more.
void task_status(TaskRecord& prior, ompt_task_status_t status, TaskRecord* next);

// The task was cancelled before it began.
void task_discarded(TaskRecord& task, int cancelled_construct);

// cancel and cancellation point. The flags are of ompt_cancel_flag_t.
void cancellation(ThreadRecord& thread, int flags, const void* code);

} // namespace teff::probe::ompt
