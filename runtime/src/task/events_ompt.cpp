// SPDX-License-Identifier: Apache-2.0
#include "task/events.h"

#include <cerrno>
#include <cstdlib>

#include "base/report.h"
#include "probe/ompt/frames.h"
#include "probe/ompt/records.h"
#include "probe/ompt/sync_events.h"
#include "probe/ompt/task_events.h"
#include "probe/ompt/work_events.h"
#include "task/cancelled.h"
#include "task/depend_table.h"
#include "team/team.h"

namespace teff::task::events {

std::size_t record_bytes() { return sizeof(probe::ompt::TaskRecord); }

} // namespace teff::task::events

namespace teff::task::events::ompt {

namespace ompt = probe::ompt;

namespace {

int flags_of(const Task& task) {
    int flags = (task.flags & kTarget) != 0 ? ompt_task_target : ompt_task_explicit;
    if ((task.flags & kUndeferred) != 0) flags |= ompt_task_undeferred;
    if ((task.flags & kUntied) != 0) flags |= ompt_task_untied;
    if ((task.flags & kFinal) != 0) flags |= ompt_task_final;
    if ((task.flags & kMergeable) != 0) flags |= ompt_task_mergeable;
    return flags;
}

ompt_dependence_type_t type_of(ItemKind kind) {
    switch (kind) {
    case ItemKind::kIn:
        return ompt_dependence_type_in;
    case ItemKind::kOut:
        return ompt_dependence_type_out;
    case ItemKind::kInout:
        return ompt_dependence_type_inout;
    case ItemKind::kMutexinoutset:
        return ompt_dependence_type_mutexinoutset;
    case ItemKind::kInoutset:
        return ompt_dependence_type_inoutset;
    }
    __builtin_unreachable();
}

// A null address stands for omp_all_memory, whose dependence type is out or inout.
ompt_dependence_type_t type_of_all_memory(ItemKind kind) {
    return kind == ItemKind::kOut ? ompt_dependence_type_out_all_memory : ompt_dependence_type_inout_all_memory;
}

// The tool gets all items in one array.
void tell_dependences(const ompt::TaskRecord& record, const DependItems& depend) {
    std::size_t count = 0;
    for (const DependRun& run : depend)
        count += run.count;
    auto* items = static_cast<ompt_dependence_t*>(std::malloc(count * sizeof(ompt_dependence_t)));
    if (items == nullptr) base::fatal(ENOMEM, "no memory to notify a tool of %zu dependences", count);
    ompt_dependence_t* item = items;
    for (const DependRun& run : depend)
        for (void* const address : run)
            *item++ = {{.ptr = address}, address != nullptr ? type_of(run.kind) : type_of_all_memory(run.kind)};
    ompt::dependences_given(record, items, static_cast<int>(count));
    std::free(items);
}

// The tool may be notified of a task as a predecessor after the task has ended. So the tool's data
// for a task with dependences is in the task's DependNode.
ompt_data_t* word_of(DependNode& node) { return reinterpret_cast<ompt_data_t*>(&node.tool_data); }
ompt_data_t* lasting_data(Task& task) { return task.has_dependences() ? word_of(*task.depend_node) : nullptr; }

ompt_task_status_t how_it_ended(const team::Worker& worker, const Task& task) {
    return cancelled(*worker.member->team, task.group) ? ompt_task_cancel : ompt_task_complete;
}

} // namespace

void construct_begins(team::Worker& worker, base::CallSite site) { ompt::enter_runtime(*worker.ompt, site); }

void construct_ends(team::Worker& worker) { ompt::leave_runtime(*worker.ompt); }

void created(team::Worker& worker, Task& task, const Creation& creation) {
    ompt::TaskRecord& record = *record_of(task);
    ompt::task_created(*worker.ompt, record, lasting_data(task), flags_of(task), creation.depend.given(),
                       creation.site);
    record.chunk = {creation.first_iteration, creation.iterations};
    if (creation.depend.given()) tell_dependences(record, creation.depend);
}

// A task without a record was created by a thread whose events go to no tool, because the tool has
// ended.
void body_begins(team::Worker& worker, Task& task, void* frame, bool skipped) {
    ompt::TaskRecord* record = record_of(task);
    if (record == nullptr) return;
    ompt::task_begins(*worker.ompt, *record, frame);
    if (!skipped) return;
    ompt::task_discarded(*record, group_cancelled(task.group) ? ompt_cancel_taskgroup : ompt_cancel_parallel);
}

void body_ends(team::Worker& worker, Task& task) {
    if ((task.flags & kDetachable) != 0) return; // detach.cpp reports this
    ompt::TaskRecord* record = record_of(task);
    if (record == nullptr) return;
    ompt::task_ends(*worker.ompt, *record, how_it_ended(worker, task));
}

void depends(const Dependence& dependence) {
    if (dependence.unfulfilled && dependence.sink != nullptr)
        ompt::dependence_awaited(word_of(dependence.predecessor), *dependence.sink);
}

void taskwait_depend_begins(team::Worker& worker, ompt::TaskRecord& record, const DependItems& depend,
                            base::CallSite site) {
    constexpr int kFlags = ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable;
    ompt::task_created(*worker.ompt, record, nullptr, kFlags, true, site);
    tell_dependences(record, depend);
}

void taskwait_depend_ends(ompt::TaskRecord& record) { ompt::task_status(record, ompt_taskwait_complete, nullptr); }

void detachable_body_ends(team::Worker& worker, Task& task, bool first) {
    ompt::task_ends(*worker.ompt, *record_of(task), first ? ompt_task_detach : how_it_ended(worker, task));
}

void event_fulfilled(Task& task, bool early) {
    ompt::task_status(*record_behind(task), early ? ompt_task_early_fulfill : ompt_task_late_fulfill, nullptr);
}

void wait_begins(team::Worker& worker, Wait wait, base::CallSite site) {
    ompt::ThreadRecord& thread = *worker.ompt;
    switch (wait) {
    case Wait::kTaskwait:
        ompt::sync_region_begins(thread, ompt_sync_region_taskwait, site);
        ompt::sync_wait_begins(thread, ompt_sync_region_taskwait, site);
        break;
    case Wait::kTaskgroup:
        ompt::sync_wait_begins(thread, ompt_sync_region_taskgroup, site);
        break;
    case Wait::kDependences:
        ompt::enter_runtime(thread, site);
        break;
    case Wait::kYield:
        ompt::enter_runtime(thread, site);
        thread.gives_way = ompt_task_yield;
        break;
    }
}

void wait_ends(team::Worker& worker, Wait wait, base::CallSite site) {
    ompt::ThreadRecord& thread = *worker.ompt;
    switch (wait) {
    case Wait::kTaskwait:
        ompt::sync_wait_ends(thread, ompt_sync_region_taskwait, site.code());
        ompt::sync_region_ends(thread, ompt_sync_region_taskwait, site.code());
        break;
    case Wait::kTaskgroup:
        ompt::sync_wait_ends(thread, ompt_sync_region_taskgroup, site.code());
        break;
    case Wait::kDependences:
    case Wait::kYield:
        ompt::leave_runtime(thread);
        break;
    }
}

void group_begins(team::Worker& worker, base::CallSite site) {
    ompt::sync_region_begins(*worker.ompt, ompt_sync_region_taskgroup, site);
}

void group_ends(team::Worker& worker, base::CallSite site) {
    ompt::sync_region_ends(*worker.ompt, ompt_sync_region_taskgroup, site.code());
}

void taskloop(team::Worker& worker, bool begins, std::uint64_t iterations, base::CallSite site) {
    const auto tell = begins ? ompt::work_begins : ompt::work_ends;
    tell(*worker.ompt, ompt_work_taskloop, iterations, site.code());
}

} // namespace teff::task::events::ompt
