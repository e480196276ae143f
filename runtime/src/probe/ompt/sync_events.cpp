// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/sync_events.h"

#include "probe/ompt/callbacks.h"
#include "probe/ompt/frames.h"
#include "probe/ompt/work_events.h"

namespace teff::probe::ompt {

namespace {

ompt_state_t state_of(ompt_sync_region_t kind) {
    switch (kind) {
    case ompt_sync_region_taskwait:
        return ompt_state_wait_taskwait;
    case ompt_sync_region_taskgroup:
        return ompt_state_wait_taskgroup;
    case ompt_sync_region_barrier_explicit:
        return ompt_state_wait_barrier_explicit;
    case ompt_sync_region_barrier_implicit_workshare:
        return ompt_state_wait_barrier_implicit_workshare;
    case ompt_sync_region_barrier_implicit_parallel:
        return ompt_state_wait_barrier_implicit_parallel;
    case ompt_sync_region_barrier_teams:
        return ompt_state_wait_barrier_teams;
    default:
        return ompt_state_wait_barrier_implementation;
    }
}

void notify(ompt_callbacks_t event, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
            ThreadRecord& thread, const void* code) {
    call<ompt_callback_sync_region_t>(event, kind, endpoint, parallel, data_of(thread.current()), code);
}

ompt_data_t* own_parallel(const ThreadRecord& thread) { return parallel_data_of(thread.current()); }

} // namespace

void sync_region_begins(ThreadRecord& thread, ompt_sync_region_t kind, base::CallSite site) {
    const InRuntime in_runtime(thread, site);
    const bool barrier = kind != ompt_sync_region_taskwait && kind != ompt_sync_region_taskgroup;
    if (barrier) end_open_work(thread);
    notify(ompt_callback_sync_region, kind, ompt_scope_begin, own_parallel(thread), thread, site.code());
}

void sync_region_ends(ThreadRecord& thread, ompt_sync_region_t kind, const void* code) {
    notify(ompt_callback_sync_region, kind, ompt_scope_end, own_parallel(thread), thread, code);
}

void sync_wait_begins(ThreadRecord& thread, ompt_sync_region_t kind, base::CallSite site) {
    enter_runtime(thread, site);
    notify(ompt_callback_sync_region_wait, kind, ompt_scope_begin, own_parallel(thread), thread, site.code());
    thread.set_state(state_of(kind));
}

void sync_wait_ends(ThreadRecord& thread, ompt_sync_region_t kind, const void* code) {
    thread.set_state(working_state(thread.current()));
    notify(ompt_callback_sync_region_wait, kind, ompt_scope_end, own_parallel(thread), thread, code);
    leave_runtime(thread);
}

void reduction(ThreadRecord& thread, ompt_scope_endpoint_t endpoint, base::CallSite site) {
    const InRuntime in_runtime(thread, site);
    notify(ompt_callback_reduction, ompt_sync_region_reduction, endpoint, own_parallel(thread), thread, site.code());
}

void join_begins(ThreadRecord& thread, const void* code) {
    constexpr auto kind = ompt_sync_region_barrier_implicit_parallel;
    end_open_work(thread);
    thread.current()->frame.exit_frame.ptr = nullptr; // the task's code has ended
    notify(ompt_callback_sync_region, kind, ompt_scope_begin, own_parallel(thread), thread, code);
    notify(ompt_callback_sync_region_wait, kind, ompt_scope_begin, own_parallel(thread), thread, code);
    thread.set_state(ompt_state_wait_barrier_implicit_parallel);
}

void join_ends(ThreadRecord& thread, const void* code) {
    constexpr auto kind = ompt_sync_region_barrier_implicit_parallel;
    thread.set_state(ompt_state_overhead);
    notify(ompt_callback_sync_region_wait, kind, ompt_scope_end, nullptr, thread, code);
    notify(ompt_callback_sync_region, kind, ompt_scope_end, nullptr, thread, code);
}

} // namespace teff::probe::ompt
