// SPDX-License-Identifier: Apache-2.0
// Runs target constructs as tasks, which are children of the encountering task. Handles their
// depend clauses and nowait.
#pragma once

#include "abi/target_arguments.h"
#include "base/call_site.h"
#include "omp-tools.h"
#include "task/depend_items.h"
#include "team/worker.h"

namespace teff::abi {

struct TargetOrder {
    bool nowait;
    task::DependItems depend;
    base::CallSite site = {};
};

struct TargetConstruct {
    void (*body)(void*);
    TargetData data;
    unsigned thread_limit; // 0: none
    TargetOrder order;
};

// Runs a target construct. With nowait, the construct becomes a deferred task if tasks can be
// deferred here; otherwise it has run when this function returns. In both cases the firstprivate
// data are copied during the call, before any wait for dependences.
void run_target(team::Worker& worker, const TargetConstruct& construct);

// Handles a construct that does nothing on the host, but whose depend clauses order it among its
// sibling tasks.
void keep_order(team::Worker& worker, const TargetOrder& order);

// Handles target update, target enter data and target exit data: as keep_order, and reports the
// construct to a tool. `kind` is the kind of the construct without nowait.
void name_data(team::Worker& worker, const TargetOrder& order, ompt_target_t kind);

} // namespace teff::abi
