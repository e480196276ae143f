// SPDX-License-Identifier: Apache-2.0
#include "task/taskgroup.h"

#include "task/untils.h"

namespace teff::task {

static_assert(sizeof(Taskgroup) <= mem::kBlockBytes[0]);

Taskgroup* make_taskgroup(team::Worker& worker, Taskgroup* outer) {
    auto* group = static_cast<Taskgroup*>(worker.blocks.take(mem::BlockSize::kRecord));
    group->outer = outer;
    group->home = &worker;
    group->reductions = nullptr;
    group->for_worksharing = false;
    group->cancelled.store(false, std::memory_order_relaxed);
    group->live.reset();
    return group;
}

void give_back_taskgroup(team::Worker& worker, Taskgroup* group) {
    worker.blocks.give_back(group, mem::BlockSize::kRecord);
}

void taskgroup_begin(team::Worker& worker) {
    Task& task = *worker.task;
    Taskgroup* group = make_taskgroup(worker, task.group);
    if (group->outer != nullptr)
        group->reductions = group->outer->reductions; // in_reduction may name those of any enclosing group
    task.group = group;
    if (worker.trace != nullptr) worker.trace->group_begin(base::ticks(), task.id);
}

void taskgroup_end(team::Worker& worker, base::CallSite site) {
    Task& task = *worker.task;
    Taskgroup* group = task.group;
    const base::Ticks begin = worker.trace != nullptr ? base::ticks() : 0;
    if (!group->live.none_left()) drain(worker, UntilGroupEnds{{.waiting = task, .group = group}, *group});
    if (worker.trace != nullptr)
        worker.trace->wait(begin, base::ticks(), TEFF_WAIT_TASKGROUP, task.id, worker.trace->site(site.code(), nullptr),
                           0);
    task.group = group->outer;
    give_back_taskgroup(worker, group);
}

} // namespace teff::task
