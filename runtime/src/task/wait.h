// SPDX-License-Identifier: Apache-2.0
//
// The waits of the current task: taskwait, taskwait with dependences, taskyield. taskgroup.h has
// the taskgroup.
#pragma once

#include "base/call_site.h"
#include "task/conditions.h"

namespace teff::task {

TEFF_COLD void wait_for_children_slow(team::Worker& worker, base::CallSite site);

// HOT fib: taskwait. Waits for the child tasks of the current task.
inline void wait_for_children(team::Worker& worker, base::CallSite site) {
    if (TEFF_LIKELY(worker.probes == 0)) {
        Task& waiting = *worker.task;
        if (!waiting.children_ended())
            wait_until(worker, ChildrenEnded{{.waiting = waiting, .caller = Caller::kMayMove}});
        return;
    }
    wait_for_children_slow(worker, site);
}

// Runs tasks that may run on top of the current task, until none is ready. Does not wait.
void run_what_is_ready(team::Worker& worker);

// Runs one descendant of the current task. Returns false if no descendant is ready, or none may run
// here.
bool help(team::Worker& worker, base::CallSite site);

TEFF_COLD void continue_begun_slow(team::Worker& worker, base::CallSite site);

// Called when the current task has created a task. If it is an implicit task, and its thread has
// begun another task of at least its priority that can continue, that task continues first.
// Otherwise it would stay suspended for as long as the creator neither waits nor ends, because a
// task stays on its thread. A thread comes to begin such tasks when it runs tasks on top of the
// creator: in a wait of such a task, it may start further tasks on other stacks.
inline void continue_begun(team::Worker& worker, base::CallSite site) {
    if (TEFF_UNLIKELY(worker.member->ready.any())) continue_begun_slow(worker, site);
}

// If a queued task of a higher priority than the current task's may start on another stack, queues
// `task`, which the current task has created, and starts that task; the current task continues when
// it has its turn again. Returns false, and queues nothing, if there is no such task.
TEFF_COLD bool queue_below_higher(team::Worker& worker, Task& task);

void yield_slow(team::Worker& worker, base::CallSite site);

// taskyield: gives other tasks of the worker's team a turn if the task polls, that is, if it has
// yielded several times in a row and no task has ended on this worker meanwhile. A single taskyield
// does nothing, as in libgomp, unless a task of a higher priority is ready.
inline void yield(team::Worker& worker, base::CallSite site) {
    if (worker.member->team->has_tasks.load(std::memory_order_relaxed)) yield_slow(worker, site);
}

} // namespace teff::task
