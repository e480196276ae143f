// SPDX-License-Identifier: Apache-2.0
// Target constructs as tasks among the encountering task's other children: their dependences, and
// nowait.
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

// target: a deferred task with nowait, where tasks are deferred at all; else it has run when this
// returns. Either way firstprivate data are copied as they are now.
void run_target(team::Worker& worker, const TargetConstruct& construct);

// A construct that does nothing here, but siblings may depend on it.
void keep_order(team::Worker& worker, const TargetOrder& order);

// target update, enter data and exit data: the same, and a tool hears of it. `kind` is the
// construct's without nowait.
void name_data(team::Worker& worker, const TargetOrder& order, ompt_target_t kind);

} // namespace teff::abi
