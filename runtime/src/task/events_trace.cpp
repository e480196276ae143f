// SPDX-License-Identifier: Apache-2.0
#include "task/events_trace.h"

#include "probe/trace/stream.h"
#include "task/depend_items.h"
#include "task/depend_table.h"
#include "team/probes.h"
#include "team/team.h"

namespace teff::task::events::trace {

namespace {

std::uint8_t create_flags(const Task& task) {
    std::uint8_t flags = 0;
    if ((task.flags & kUndeferred) != 0)
        flags |= (task.parent->flags & kFinal) != 0 ? TEFF_TASK_INCLUDED : TEFF_TASK_UNDEFERRED;
    if ((task.flags & kUntied) != 0) flags |= TEFF_TASK_UNTIED;
    if ((task.flags & kFinal) != 0) flags |= TEFF_TASK_FINAL;
    if ((task.flags & kDetachable) != 0) flags |= TEFF_TASK_DETACHABLE;
    if ((task.flags & kDependent) != 0) flags |= TEFF_TASK_DEPEND;
    if ((task.flags & kTaskloop) != 0) flags |= TEFF_TASK_TASKLOOP;
    return flags;
}

std::uint64_t stream_of(std::uint64_t task_id) { return task_id >> 48; }

teff_wait_kind kind_of(Wait wait) {
    switch (wait) {
    case Wait::kTaskwait:
        return TEFF_WAIT_TASKWAIT;
    case Wait::kTaskgroup:
        return TEFF_WAIT_TASKGROUP;
    case Wait::kDependences:
        return TEFF_WAIT_DEPEND;
    case Wait::kYield:
        return TEFF_WAIT_TASKYIELD;
    }
    __builtin_unreachable();
}

teff_dep_kind kind_of(const Dependence& dependence) {
    if (dependence.address == nullptr) return TEFF_DEP_ALL_MEMORY;
    switch (dependence.kind) {
    case ItemKind::kIn:
        return TEFF_DEP_IN;
    case ItemKind::kOut:
        return TEFF_DEP_OUT;
    case ItemKind::kInout:
        return TEFF_DEP_INOUT;
    case ItemKind::kMutexinoutset:
        return TEFF_DEP_MUTEXINOUTSET;
    case ItemKind::kInoutset:
        return TEFF_DEP_INOUTSET;
    }
    __builtin_unreachable();
}

teff_dep_kind kind_of(DependKind predecessor) {
    switch (predecessor) {
    case DependKind::kIn:
        return TEFF_DEP_IN;
    case DependKind::kOut:
        return TEFF_DEP_INOUT;
    case DependKind::kInoutset:
        return TEFF_DEP_INOUTSET;
    }
    __builtin_unreachable();
}

} // namespace

void created(team::Worker& worker, Task& task, const Creation& creation) {
    probe::trace::Stream& stream = *worker.trace;
    const base::Ticks cost =
        base::ticks() - creation.met; // before the look-up of the site, which is the recorder's own time
    team::prepare_sites(worker);
    task.site = stream.site(creation.site.code(), reinterpret_cast<const void*>(task.function));
    stream.create(creation.met, create_flags(task), task.id, task.parent_id, task.site, cost);
    if (TEFF_UNLIKELY(task.priority != 0)) stream.priority(creation.met, task.id, task.priority);
}

void depends(team::Worker& worker, const Dependence& dependence) {
    const auto flags = static_cast<std::uint8_t>(kind_of(dependence) |
                                                 kind_of(dependence.predecessor_kind) << TEFF_DEP_PREDECESSOR_SHIFT |
                                                 (dependence.unfulfilled ? 0 : TEFF_DEP_FULFILLED));
    worker.trace->dependence(base::ticks(), flags, dependence.successor_id, dependence.predecessor.task_id,
                             reinterpret_cast<std::uintptr_t>(dependence.address));
}

void body_ends(team::Worker& worker, std::uint64_t task_id, std::uint64_t region_id, bool skipped, base::Ticks began) {
    std::uint8_t flags = skipped ? TEFF_RUN_CANCELLED : 0;
    if (stream_of(task_id) != worker.number) flags |= TEFF_RUN_STOLEN;
    worker.trace->run(began, base::ticks(), flags, task_id, region_id);
}

void waited(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks began) {
    probe::trace::Stream& stream = *worker.trace;
    const base::Ticks ended = base::ticks();
    team::prepare_sites(worker);
    stream.wait(began, ended, kind_of(wait), worker.task->id, stream.site(site.code(), nullptr), 0);
}

} // namespace teff::task::events::trace
