// SPDX-License-Identifier: Apache-2.0
//
// Events of target constructs. The host is the only device: a target region runs as the initial
// task of a team of its own, inside a target task, and no data are mapped.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

// A target region that has begun and not ended.
struct TargetRecord {
    ompt_data_t data;
    ompt_id_t id; // for callbacks that have no data words
    ompt_id_t operation;
    ompt_target_t kind;
    const void* code;
    TaskRecord task; // the target task, if `included`
    bool included;   // whether the target task is an included task
    TargetRecord* outer;
};

// The target task of a target region begins or ends on this thread. If `included` is true,
// `target_begins` creates it as an included task; otherwise it is the current, deferred task.
void target_begins(ThreadRecord& thread, TargetRecord& target, bool included, base::CallSite site);
void target_ends(ThreadRecord& thread);

// A construct that would only move data begins or ends. Between these two calls, the thread only
// waits for the construct's dependences.
void target_data_begins(ThreadRecord& thread, ompt_target_t kind, base::CallSite site);
void target_data_ends(ThreadRecord& thread, ompt_target_t kind, base::CallSite site);

} // namespace teff::probe::ompt
