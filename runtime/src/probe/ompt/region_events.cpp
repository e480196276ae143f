// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/region_events.h"

#include "probe/ompt/callbacks.h"
#include "probe/ompt/frames.h"
#include "probe/ompt/work_events.h"

namespace teff::probe::ompt {

namespace {

void make_current(ThreadRecord& thread, TaskRecord& task) {
    thread.set_current(&task);
    thread.set_state(working_state(&task));
}

} // namespace

void make_known(ThreadRecord& thread) {
    thread.data = ompt_data_none;
    thread.set_current(nullptr);
    thread.set_state(ompt_state_overhead);
}

void thread_begins(ThreadRecord& thread, ompt_thread_t type) {
    thread.set_state(type == ompt_thread_worker ? ompt_state_idle : ompt_state_overhead);
    call<ompt_callback_thread_begin_t>(ompt_callback_thread_begin, type, &thread.data);
}

void thread_ends(ThreadRecord& thread) {
    call<ompt_callback_thread_end_t>(ompt_callback_thread_end, &thread.data);
    thread.set_state(ompt_state_undefined);
}

void tool_leaves(ThreadRecord& thread, unsigned index) {
    const TaskRecord& task = *thread.current();
    end_open_work(thread);
    thread.set_state(ompt_state_overhead);
    call<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, ompt_scope_end, nullptr, task.data, 0, index,
                                        task.flags);
    call<ompt_callback_thread_end_t>(ompt_callback_thread_end, &thread.data);
}

void initial_task_begins(ThreadRecord& thread, TaskRecord& task, ParallelRecord& parallel, unsigned size,
                         unsigned index) {
    task = {};
    task.data = &task.own_data;
    task.flags = ompt_task_initial;
    task.thread_num = 0;
    task.parallel = &parallel;
    task.below = thread.current();
    make_current(thread, task);
    call<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, ompt_scope_begin, &parallel.data, task.data, size,
                                        index, task.flags);
}

void initial_task_ends(ThreadRecord& thread, unsigned index) {
    TaskRecord& task = *thread.current();
    end_open_work(thread);
    thread.set_state(ompt_state_overhead);
    call<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, ompt_scope_end, nullptr, task.data, 0, index,
                                        task.flags);
    thread.set_current(task.below);
}

void parallel_begins(ThreadRecord& thread, ParallelRecord& parallel, unsigned requested, int flags,
                     base::CallSite site) {
    TaskRecord* task = thread.current();
    parallel.data = ompt_data_none;
    parallel.flags = flags;
    enter_runtime(thread, site);
    call<ompt_callback_parallel_begin_t>(ompt_callback_parallel_begin, task->data, &task->frame, &parallel.data,
                                         requested, flags, site.code());
}

void parallel_ends(ThreadRecord& thread, ParallelRecord& parallel, const void* code) {
    TaskRecord* task = thread.current();
    call<ompt_callback_parallel_end_t>(ompt_callback_parallel_end, &parallel.data, task->data, parallel.flags, code);
    leave_runtime(thread);
    thread.set_state(working_state(task));
}

void implicit_task_begins(ThreadRecord& thread, TaskRecord& task, ParallelRecord& parallel, TaskRecord* encountering,
                          unsigned number) {
    task = {};
    task.data = &task.own_data;
    task.flags = ompt_task_implicit;
    if (parallel.size == 1) task.flags |= ompt_task_undeferred;
    task.thread_num = number;
    task.parallel = &parallel;
    task.below = encountering;
    make_current(thread, task);
    call<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, ompt_scope_begin, &parallel.data, task.data,
                                        parallel.size, number, ompt_task_implicit);
}

void implicit_task_ends(ThreadRecord& thread) {
    TaskRecord& task = *thread.current();
    thread.set_state(ompt_state_overhead);
    call<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, ompt_scope_end, nullptr, task.data, 0,
                                        task.thread_num, ompt_task_implicit);
    const bool on_this_stack = task.thread_num == 0;
    thread.set_current(on_this_stack ? task.below : nullptr);
    if (!on_this_stack) thread.set_state(ompt_state_idle);
}

void body_begins(ThreadRecord& thread, void* frame) {
    ompt_frame_t& task_frame = thread.current()->frame;
    task_frame.exit_frame_flags = ompt_frame_runtime | ompt_frame_framepointer;
    task_frame.exit_frame.ptr = frame;
}

void body_ends(ThreadRecord& thread) { thread.current()->frame.exit_frame.ptr = nullptr; }

void program_begins_body(ThreadRecord& thread, base::CallSite site) {
    ompt_frame_t& task_frame = thread.current()->frame;
    task_frame.exit_frame_flags = ompt_frame_application | ompt_frame_stackaddress;
    task_frame.exit_frame.ptr = site.frame();
}

} // namespace teff::probe::ompt
