// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/work_events.h"

#include "probe/ompt/callbacks.h"

namespace teff::probe::ompt {

namespace {

void notify(ThreadRecord& thread, ompt_work_t kind, ompt_scope_endpoint_t endpoint, std::uint64_t count,
            const void* code) {
    const TaskRecord* task = thread.current();
    call<ompt_callback_work_t>(ompt_callback_work, kind, endpoint, parallel_data_of(task), data_of(thread.current()),
                               count, code);
}

void leave_open(ThreadRecord& thread, ompt_work_t kind, const void* code) {
    TaskRecord& task = *thread.current();
    task.open_work = kind;
    task.open_work_code = code;
}

void tell_dispatch(ThreadRecord& thread, ompt_dispatch_t kind, ompt_data_t instance) {
    const TaskRecord* task = thread.current();
    call<ompt_callback_dispatch_t>(ompt_callback_dispatch, parallel_data_of(task), data_of(thread.current()), kind,
                                   instance);
}

} // namespace

void work_begins(ThreadRecord& thread, ompt_work_t kind, std::uint64_t count, const void* code) {
    if (kind != ompt_work_taskloop) end_open_work(thread);
    notify(thread, kind, ompt_scope_begin, count, code);
}

void work_ends(ThreadRecord& thread, ompt_work_t kind, std::uint64_t count, const void* code) {
    notify(thread, kind, ompt_scope_end, count, code);
}

void single_begins(ThreadRecord& thread, const void* code, bool executor) {
    end_open_work(thread);
    const ompt_work_t kind = executor ? ompt_work_single_executor : ompt_work_single_other;
    notify(thread, kind, ompt_scope_begin, 1, code);
    if (executor) leave_open(thread, kind, code);
    else notify(thread, kind, ompt_scope_end, 1, code);
}

void scope_begins(ThreadRecord& thread, const void* code) {
    work_begins(thread, ompt_work_scope, 1, code);
    leave_open(thread, ompt_work_scope, code);
}

void static_begins(ThreadRecord& thread, ompt_work_t kind, std::uint64_t count, base::CallSite site) {
    work_begins(thread, kind, count, site.code());
    TaskRecord& task = *thread.current();
    task.static_work = kind;
    task.static_count = count;
}

void static_ends(ThreadRecord& thread, base::CallSite site) {
    TaskRecord& task = *thread.current();
    if (task.static_work == ompt_work_t{}) return;
    const ompt_work_t kind = task.static_work;
    task.static_work = {};
    work_ends(thread, kind, task.static_count, site.code());
}

void masked(ThreadRecord& thread, ompt_scope_endpoint_t endpoint, base::CallSite site) {
    const TaskRecord* task = thread.current();
    call<ompt_callback_masked_t>(ompt_callback_masked, endpoint, parallel_data_of(task), data_of(thread.current()),
                                 site.code());
}

void section_dispatched(ThreadRecord& thread, const void* code) {
    tell_dispatch(thread, ompt_dispatch_section, {.ptr = const_cast<void*>(code)});
}

void chunk_dispatched(ThreadRecord& thread, ompt_dispatch_t kind, ompt_dispatch_chunk_t chunk) {
    tell_dispatch(thread, kind, {.ptr = &chunk});
}

} // namespace teff::probe::ompt
