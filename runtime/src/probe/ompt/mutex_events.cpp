// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/mutex_events.h"

#include "probe/ompt/callbacks.h"
#include "probe/ompt/frames.h"
#include "probe/ompt/names.h"

namespace teff::probe::ompt {

namespace {

ompt_state_t waiting_state(ompt_mutex_t kind) {
    switch (kind) {
    case ompt_mutex_critical:
        return ompt_state_wait_critical;
    case ompt_mutex_atomic:
        return ompt_state_wait_atomic;
    case ompt_mutex_ordered:
        return ompt_state_wait_ordered;
    default:
        return ompt_state_wait_lock;
    }
}

void acquire_is_over(ThreadRecord& thread) {
    thread.set_state(working_state(thread.current()));
    leave_runtime(thread);
}

} // namespace

void lock_init(ompt_mutex_t kind, ompt_wait_id_t wait_id, unsigned hint, base::CallSite site) {
    call<ompt_callback_mutex_acquire_t>(ompt_callback_lock_init, kind, hint, unsigned{kFutexMutex}, wait_id,
                                        site.code());
}

void lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site) {
    call<ompt_callback_mutex_t>(ompt_callback_lock_destroy, kind, wait_id, site.code());
}

void mutex_acquire(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site) {
    constexpr unsigned kNoHint = 0;
    enter_runtime(thread, site);
    call<ompt_callback_mutex_acquire_t>(ompt_callback_mutex_acquire, kind, kNoHint, unsigned{kFutexMutex}, wait_id,
                                        site.code());
    thread.set_state(waiting_state(kind), wait_id);
}

void mutex_acquired(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site) {
    call<ompt_callback_mutex_t>(ompt_callback_mutex_acquired, kind, wait_id, site.code());
    acquire_is_over(thread);
}

void mutex_or_nest_acquired(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, bool nested,
                            base::CallSite site) {
    if (!nested) return mutex_acquired(thread, kind, wait_id, site);
    nest_lock(thread, ompt_scope_begin, wait_id, site);
    acquire_is_over(thread);
}

void mutex_not_acquired(ThreadRecord& thread) { acquire_is_over(thread); }

void mutex_released(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site) {
    const InRuntime in_runtime(thread, site);
    call<ompt_callback_mutex_t>(ompt_callback_mutex_released, kind, wait_id, site.code());
}

void nest_lock(ThreadRecord& thread, ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, base::CallSite site) {
    const InRuntime in_runtime(thread, site);
    call<ompt_callback_nest_lock_t>(ompt_callback_nest_lock, endpoint, wait_id, site.code());
}

} // namespace teff::probe::ompt
