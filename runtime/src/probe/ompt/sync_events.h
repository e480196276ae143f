// SPDX-License-Identifier: Apache-2.0
// Events of synchronisation: barriers, taskwait and taskgroup. A region and the wait inside it have
// separate events, as a taskgroup's region is longer than its wait.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

void sync_region_begins(ThreadRecord& thread, ompt_sync_region_t kind, base::CallSite site);
void sync_region_ends(ThreadRecord& thread, ompt_sync_region_t kind, const void* code);

// The wait inside the region. Between these two calls, the current task is in the runtime.
void sync_wait_begins(ThreadRecord& thread, ompt_sync_region_t kind, base::CallSite site);
void sync_wait_ends(ThreadRecord& thread, ompt_sync_region_t kind, const void* code);

// The current task begins or ends to combine its copies of a reduction's list items.
void reduction(ThreadRecord& thread, ompt_scope_endpoint_t endpoint, base::CallSite site);

// The barrier at the end of a parallel region, after the code of the implicit task. join_ends does
// not name the region to the tool, as the region may have ended by then.
void join_begins(ThreadRecord& thread, const void* code);
void join_ends(ThreadRecord& thread, const void* code);

} // namespace teff::probe::ompt
