// SPDX-License-Identifier: Apache-2.0
//
// Events of mutual exclusion: locks, critical, atomic, ordered. `wait_id` is the address of what is
// waited for.
//
// The three steps are acquire, acquired (the thread has it), released. A test_lock that fails stops
// after the first.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

void lock_init(ompt_mutex_t kind, ompt_wait_id_t wait_id, unsigned hint, base::CallSite site);
void lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site);

void mutex_acquire(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site);
void mutex_acquired(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site);
// A nest lock: taken, or, if `nested`, set by its owner once more.
void mutex_or_nest_acquired(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, bool nested,
                            base::CallSite site);
void mutex_not_acquired(ThreadRecord& thread);
void mutex_released(ThreadRecord& thread, ompt_mutex_t kind, ompt_wait_id_t wait_id, base::CallSite site);

// A nest lock is set by its owner once more, or unset but not for the last time.
void nest_lock(ThreadRecord& thread, ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, base::CallSite site);

} // namespace teff::probe::ompt
