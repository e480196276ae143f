// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/callbacks.h"

#include <atomic>
#include <iterator>

namespace teff::probe::ompt {

namespace {

constexpr int kEvents = ompt_callback_error + 1;

// How far each event is reported; docs/ompt.md gives the reasons. Compilers turn some constructs
// into code without a call, so that the runtime sees only some of their events.
constexpr ompt_set_result_t kReported[kEvents] = {
    ompt_set_error,     // no event has the number 0
    ompt_set_always,    // thread_begin
    ompt_set_always,    // thread_end
    ompt_set_always,    // parallel_begin
    ompt_set_always,    // parallel_end
    ompt_set_always,    // task_create
    ompt_set_always,    // task_schedule
    ompt_set_always,    // implicit_task
    ompt_set_always,    // target
    ompt_set_never,     // target_data_op
    ompt_set_always,    // target_submit
    ompt_set_always,    // control_tool
    ompt_set_never,     // device_initialize
    ompt_set_never,     // device_finalize
    ompt_set_never,     // device_load
    ompt_set_never,     // device_unload
    ompt_set_always,    // sync_region_wait
    ompt_set_sometimes, // mutex_released
    ompt_set_always,    // dependences
    ompt_set_always,    // task_dependence
    ompt_set_sometimes, // work
    ompt_set_sometimes, // masked
    ompt_set_never,     // target_map
    ompt_set_always,    // sync_region
    ompt_set_always,    // lock_init
    ompt_set_always,    // lock_destroy
    ompt_set_sometimes, // mutex_acquire
    ompt_set_sometimes, // mutex_acquired
    ompt_set_always,    // nest_lock
    ompt_set_sometimes, // flush
    ompt_set_always,    // cancel
    ompt_set_sometimes, // reduction
    ompt_set_sometimes, // dispatch
    ompt_set_always,    // target_emi
    ompt_set_never,     // target_data_op_emi
    ompt_set_always,    // target_submit_emi
    ompt_set_never,     // target_map_emi
    ompt_set_always,    // error
};

std::atomic<ompt_callback_t> callbacks[kEvents];

bool is_event(ompt_callbacks_t event) { return event > 0 && event < kEvents; }

} // namespace

ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
    if (!is_event(event)) return ompt_set_error;
    callbacks[event].store(callback, std::memory_order_release); // [callback-1]
    return kReported[event];
}

int get_callback(ompt_callbacks_t event, ompt_callback_t* callback) {
    if (!is_event(event)) return 0;
    const ompt_callback_t found = detail::find_callback(event);
    if (found == nullptr || kReported[event] == ompt_set_never) return 0;
    *callback = found;
    return 1;
}

void clear_callbacks() {
    for (std::atomic<ompt_callback_t>& callback : callbacks)
        callback.store(nullptr, std::memory_order_release); // [callback-1]
}

ompt_callback_t detail::find_callback(ompt_callbacks_t event) {
    return callbacks[event].load(std::memory_order_acquire); // [callback-1]
}

} // namespace teff::probe::ompt
