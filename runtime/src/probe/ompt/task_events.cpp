// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/task_events.h"

#include "probe/ompt/callbacks.h"
#include "probe/ompt/frames.h"
#include "probe/ompt/work_events.h"

namespace teff::probe::ompt {

void task_created(ThreadRecord& thread, TaskRecord& task, ompt_data_t* data, int flags, bool has_dependences,
                  base::CallSite site) {
    task = {};
    task.data = data != nullptr ? data : &task.own_data;
    *task.data = ompt_data_none;
    task.flags = flags;
    TaskRecord* creator = thread.current();
    task.parallel = creator->parallel;
    task.creator_data = creator->data;
    const InRuntime in_runtime(thread, site);
    call<ompt_callback_task_create_t>(ompt_callback_task_create, creator->data, &creator->frame, task.data, flags,
                                      has_dependences ? 1 : 0, site.code());
}

void dependences_given(const TaskRecord& task, const ompt_dependence_t* items, int count) {
    call<ompt_callback_dependences_t>(ompt_callback_dependences, task.data, items, count);
}

void dependence_awaited(ompt_data_t* source, const TaskRecord& sink) {
    call<ompt_callback_task_dependence_t>(ompt_callback_task_dependence, source, sink.data);
}

void task_begins(ThreadRecord& thread, TaskRecord& task, void* frame) {
    TaskRecord* prior = thread.current();
    task.below = prior;
    task.thread_num = prior->thread_num;
    task.parallel = prior->parallel;
    task.frame.exit_frame.ptr = frame;
    task.frame.exit_frame_flags = ompt_frame_runtime | ompt_frame_framepointer;
    call<ompt_callback_task_schedule_t>(ompt_callback_task_schedule, prior->data, thread.gives_way, task.data);
    thread.gives_way = ompt_task_switch;
    thread.set_current(&task);
    task.state_below = thread.set_state(working_state(&task));
    if (task.chunk.iterations != 0) chunk_dispatched(thread, ompt_dispatch_taskloop_chunk, task.chunk);
}

void task_ends(ThreadRecord& thread, TaskRecord& task, ompt_task_status_t status) {
    TaskRecord* next = task.below;
    thread.set_state(task.state_below);
    thread.set_current(next);
    task_status(task, status, next);
}

void task_status(TaskRecord& prior, ompt_task_status_t status, TaskRecord* next) {
    call<ompt_callback_task_schedule_t>(ompt_callback_task_schedule, prior.data, status, data_of(next));
}

void task_discarded(TaskRecord& task, int cancelled_construct) {
    call<ompt_callback_cancel_t>(ompt_callback_cancel, task.data, cancelled_construct | ompt_cancel_discarded_task,
                                 nullptr);
}

void cancellation(ThreadRecord& thread, int flags, const void* code) {
    call<ompt_callback_cancel_t>(ompt_callback_cancel, data_of(thread.current()), flags, code);
}

} // namespace teff::probe::ompt
