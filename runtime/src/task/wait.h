// SPDX-License-Identifier: Apache-2.0
// taskwait, taskwait with dependences, taskyield: what the current task may call to wait. taskgroup.h has the taskgroup.
#pragma once

#include "base/call_site.h"
#include "task/untils.h"

namespace teff::task {

TEFF_COLD void wait_for_children_slow(team::Worker& worker, base::CallSite site);

// HOT fib: taskwait.
inline void wait_for_children(team::Worker& worker, base::CallSite site) {
    if (TEFF_LIKELY(worker.trace == nullptr)) {
        Task& waiting = *worker.task;
        if (!waiting.children.none_left()) drain(worker, UntilChildrenEnd{{.waiting = waiting}});
        return;
    }
    wait_for_children_slow(worker, site);
}

// taskyield: runs at most one task that may run on top of the current one.
void yield(team::Worker& worker, base::CallSite site);

} // namespace teff::task
