// SPDX-License-Identifier: Apache-2.0
#include "task/wait.h"

namespace teff::task {

namespace {

// Writes the WAIT record of whatever the caller waited for since `begin`.
void record_wait(team::Worker& worker, base::Ticks begin, teff_wait_kind kind, base::CallSite site) {
    worker.trace->wait(begin, base::ticks(), kind, worker.task->id, worker.trace->site(site.code(), nullptr), 0);
}

} // namespace

void wait_for_children_slow(team::Worker& worker, base::CallSite site) {
    const base::Ticks begin = base::ticks();
    drain(worker, UntilChildrenEnd{{.waiting = *worker.task}});
    record_wait(worker, begin, TEFF_WAIT_TASKWAIT, site);
}

void yield(team::Worker& worker, base::CallSite site) {
    if (!worker.member->team->has_tasks.load(std::memory_order_relaxed)) return;
    UntilChildrenEnd until{{.waiting = *worker.task}};
    Task* task = next_task(worker, until);
    if (task == nullptr) return;
    const base::Ticks begin = worker.trace != nullptr ? base::ticks() : 0;
    run(worker, *task);
    if (worker.trace != nullptr) record_wait(worker, begin, TEFF_WAIT_TASKYIELD, site);
}

} // namespace teff::task
