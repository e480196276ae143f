// SPDX-License-Identifier: Apache-2.0
//
// Events of mutual exclusion: locks, critical, atomic, ordered. `wait_id` is the address of the
// object for which the thread waits.
//
// The three steps are acquire (the thread begins to wait), acquired and released. If a test_lock
// fails, mutex_not_acquired follows the first step.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

void lock_init(ompt_mutex_t kind, ompt_wait_id_t wait_id, unsigned hint, base::CallSite site);
void lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site);

void mutex_acquire(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site);
void mutex_acquired(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site);
// A nest lock was taken or, if `nested` is true, its owner set it once more.
void mutex_or_nest_acquired(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, bool nested,
                            base::CallSite site);
void mutex_not_acquired(ThreadRecord& thread);
void mutex_released(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site);

// The owner of a nest lock sets it once more, or unsets it while it remains set.
void nest_lock(ThreadRecord& thread, ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, base::CallSite site);

} // namespace teff::probe::ompt
