// SPDX-License-Identifier: Apache-2.0
//
// Events of target constructs. The only device is the host: a target region runs as the initial
// task of a team of its own, inside a target task, and no data are mapped.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

// A target region in flight.
struct TargetRecord {
    ompt_data_t data;
    ompt_id_t id; // for the callbacks without data words
    ompt_id_t operation;
    ompt_target_t kind;
    const void* code;
    TaskRecord task; // the target task, if it is included in the task that met the construct
    bool included;
    TargetRecord* outer;
};

// The target task of a target region begins on this thread: an included one, which is created here,
// or the current, deferred task.
void target_begins(ThreadRecord& thread, TargetRecord& target, bool included, base::CallSite site);
void target_ends(ThreadRecord& thread);

// A construct that would only move data: between the two, nothing happens but the wait for its
// dependences.
void target_data_begins(ThreadRecord& thread, ompt_target_t kind, base::CallSite site);
void target_data_ends(ThreadRecord& thread, ompt_target_t kind, base::CallSite site);

} // namespace teff::probe::ompt
