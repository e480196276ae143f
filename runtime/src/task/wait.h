// SPDX-License-Identifier: Apache-2.0
// taskwait, taskwait with dependences, taskyield: what the current task may call to wait.
// taskgroup.h has the taskgroup.
#pragma once

#include "base/call_site.h"
#include "task/conditions.h"

namespace teff::task {

TEFF_COLD void wait_for_children_slow(team::Worker& worker, base::CallSite site);

// HOT fib: taskwait.
inline void wait_for_children(team::Worker& worker, base::CallSite site) {
    if (TEFF_LIKELY(worker.probes == 0)) {
        Task& waiting = *worker.task;
        if (!waiting.children_ended()) wait_until(worker, ChildrenEnded{{.worker = worker, .waiting = waiting}});
        return;
    }
    wait_for_children_slow(worker, site);
}

// Runs the tasks that may run on top of the current one, until there is none. Waits for nothing.
void run_what_is_ready(team::Worker& worker);

// Runs a descendant of the current task. False: none is ready.
bool help(team::Worker& worker, base::CallSite site);

void yield_slow(team::Worker& worker, base::CallSite site);

// taskyield: gives other tasks of the worker's team a turn, if the task polls: if it has yielded
// several times in a row while no task ended here. A single one does nothing, as in libgomp.
inline void yield(team::Worker& worker, base::CallSite site) {
    if (worker.member->team->has_tasks.load(std::memory_order_relaxed)) yield_slow(worker, site);
}

} // namespace teff::task
