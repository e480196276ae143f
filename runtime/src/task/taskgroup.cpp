// SPDX-License-Identifier: Apache-2.0
#include "task/taskgroup.h"

#include "task/conditions.h"
#include "task/events.h"
#include "task/reduction.h"

namespace teff::task {

static_assert(sizeof(Taskgroup) <= mem::kBlockBytes[0]);

Taskgroup* make_taskgroup(team::Worker& worker, Taskgroup* outer) {
    auto* group = static_cast<Taskgroup*>(worker.blocks.take(mem::BlockSize::kRecord));
    group->outer = outer;
    group->home = worker.context;
    group->reductions = nullptr;
    group->for_worksharing = false;
    group->cancelled.store(false, std::memory_order_relaxed);
    group->live.reset();
    return group;
}

void give_back_taskgroup(team::Worker& worker, Taskgroup* group) {
    if (TEFF_UNLIKELY(group->reductions != nullptr)) forget_reductions(worker, *group);
    worker.blocks.give_back(group, mem::BlockSize::kRecord);
}

void taskgroup_begin(team::Worker& worker, base::CallSite site) {
    Task& task = *worker.task;
    Taskgroup* group = make_taskgroup(worker, task.group);
    if (group->outer != nullptr)
        group->reductions = group->outer->reductions; // in_reduction may name items of any enclosing group
    task.group = group;
    if (TEFF_UNLIKELY(worker.probes != 0)) events::group_begins(worker, site);
}

void taskgroup_end(team::Worker& worker, base::CallSite site) {
    Task& task = *worker.task;
    Taskgroup* group = task.group;
    const team::Context& here = *worker.context;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks began = probed ? events::wait_begins(worker, events::Wait::kTaskgroup, site) : 0;
    if (!group->live.none_left())
        wait_until(worker,
                   GroupEnded{{.waiting = task, .group = group, .caller = probed ? Caller::kStays : Caller::kMayMove},
                              *group});
    team::Worker& now = here.worker();
    if (probed) events::wait_ends(worker, events::Wait::kTaskgroup, site, began);
    task.group = group->outer;
    give_back_taskgroup(now, group);
    if (probed) events::group_ends(worker, site);
}

} // namespace teff::task
