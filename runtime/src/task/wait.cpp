// SPDX-License-Identifier: Apache-2.0
#include "task/wait.h"

namespace teff::task {

void wait_for_children_slow(team::Worker& worker, base::CallSite site) {
    const base::Ticks began = events::wait_begins(worker, events::Wait::kTaskwait, site);
    wait_until(worker, ChildrenEnded{{.waiting = *worker.task}});
    events::wait_ends(worker, events::Wait::kTaskwait, site, began);
}

void run_what_is_ready(team::Worker& worker) {
    ChildrenEnded until{{.waiting = *worker.task}};
    while (Task* task = Wait::next_task(worker, until))
        run(worker, *task);
    pass_on_ends_if_any(worker);
}

void yield_slow(team::Worker& worker, base::CallSite site) {
    ChildrenEnded until{{.waiting = *worker.task}};
    Task* task = Wait::next_task(worker, until);
    if (task == nullptr) return;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks began = probed ? events::wait_begins(worker, events::Wait::kYield, site) : 0;
    run(worker, *task);
    pass_on_ends_if_any(worker);
    if (probed) events::wait_ends(worker, events::Wait::kYield, site, began);
}

} // namespace teff::task
