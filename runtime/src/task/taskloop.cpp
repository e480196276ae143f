// SPDX-License-Identifier: Apache-2.0
#include "task/taskloop.h"

#include "task/taskloop_range.h"

namespace teff::task {

namespace {

TaskloopSplit split(team::Worker& worker, const Taskloop& loop) {
    if (loop.by_grainsize) return split_by_grainsize(loop.count, loop.size, loop.strict);
    return split_by_tasks(loop.count, loop.size != 0 ? loop.size : worker.member->team->size);
}

// Creates the tasks one after another; if there are very many, creates the last ones together as a
// range. The bounds are written into each task's own arguments after the copy, because a copy
// function does not copy them.
void create_tasks(team::Worker& worker, const Taskloop& loop) {
    const TaskloopParts parts{
        .split = split(worker, loop), .start = loop.start, .step = loop.step, .count = loop.count, .place = loop.place};
    TaskConstruct construct = loop.task;
    TaskloopPart part = parts.before(0);
    construct.clauses.part = &part;
    const std::uint64_t one_by_one = kTaskloopAlone * worker.member->team->size;
    for (std::uint64_t number = 0; number < parts.split.tasks; ++number) {
        if (number == one_by_one && try_create_range(worker, loop.task, parts, number)) return;
        parts.advance(part, number);
        create_one_of_many(worker, construct);
    }
}

} // namespace

bool run_taskloop(team::Worker& worker, const Taskloop& loop) {
    const base::CallSite site = loop.task.clauses.site;
    if (loop.count == 0 || cancelled(*worker.member->team, worker.task->group)) return false;
    if (loop.own_group) taskgroup_begin(worker, site);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::taskloop_begins(worker, loop.count, site);
    if (loop.enter_group != nullptr) loop.enter_group(worker, loop.task.data);
    create_tasks(worker, loop);
    team::Worker& after = team::current_worker();
    if (TEFF_UNLIKELY(after.probes != 0)) events::taskloop_ends(after, loop.count, site);
    if (loop.own_group) taskgroup_end(after, site);
    return true;
}

} // namespace teff::task
