// SPDX-License-Identifier: Apache-2.0
#include "task/events.h"

#include "probe/ompt/records.h"
#include "probe/trace/stream.h"
#include "task/depend_table.h"
#include "task/events_ompt.h"
#include "task/events_trace.h"
#include "team/probes.h"
#include "team/team.h"

namespace teff::task::events {

bool need_records(const team::Worker& worker) { return observed(worker); }

std::size_t record_bytes() { return sizeof(probe::ompt::TaskRecord); }

void created(team::Worker& worker, Task& task, const Creation& creation) {
    if (traced(worker)) trace::created(worker, task, creation);
    if (observed(worker)) ompt::created(worker, task, creation);
}

base::Ticks construct_begins(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::construct_begins(worker, site);
    return base::ticks();
}

void construct_ends(team::Worker& worker) {
    if (observed(worker)) ompt::construct_ends(worker);
}

Body body_begins(team::Worker& worker, Task& task, void* frame, bool skipped) {
    if (observed(worker)) ompt::body_begins(worker, task, frame, skipped);
    return {
        .task_id = task.id, .region_id = worker.member->team->region_id, .began = base::ticks(), .skipped = skipped};
}

void body_ends(team::Worker& worker, Task& task, const Body& body) {
    if (traced(worker)) trace::body_ends(worker, body);
    if (observed(worker)) ompt::body_ends(worker, task);
}

void ran_at_once(team::Worker& worker, std::uint32_t site, base::Ticks began) {
    if (traced(worker)) worker.trace->wait(began, base::ticks(), TEFF_WAIT_RUN_AT_ONCE, worker.task->id, site, 0);
}

void depends(team::Worker& worker, const Dependence& dependence) {
    const std::uint64_t predecessor_id = dependence.predecessor.task_id;
    if (predecessor_id == dependence.successor_id) return; // the same address twice in one construct
    const bool both_are_tasks = predecessor_id != 0 && dependence.successor_id != 0;
    if (traced(worker) && both_are_tasks) trace::depends(worker, dependence);
    if (observed(worker)) ompt::depends(dependence);
}

void fulfilled(team::Worker& worker, std::uint64_t task_id, bool body_ended, base::Ticks when) {
    if (traced(worker)) worker.trace->fulfil(when, body_ended ? TEFF_FULFIL_LATE : 0, task_id);
}

void taskwait_depend_begins(team::Worker& worker, probe::ompt::TaskRecord& record, const DependItems& depend,
                            base::CallSite site) {
    if (observed(worker)) ompt::taskwait_depend_begins(worker, record, depend, site);
}

void taskwait_depend_ends(team::Worker& worker, probe::ompt::TaskRecord& record) {
    if (observed(worker)) ompt::taskwait_depend_ends(record);
}

void detachable_body_ends(team::Worker& worker, Task& task, bool first) {
    if (observed(worker))
        ompt::detachable_body_ends(worker, task, first); // else the tool is over: this worker came later
}

void event_fulfilled(Task& task, bool early) { ompt::event_fulfilled(task, early); }

base::Ticks wait_begins(team::Worker& worker, Wait wait, base::CallSite site) {
    if (observed(worker)) ompt::wait_begins(worker, wait, site);
    return base::ticks();
}

void wait_ends(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks began) {
    if (traced(worker)) trace::waited(worker, wait, site, began);
    if (observed(worker)) ompt::wait_ends(worker, wait, site);
}

void group_begins(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::group_begins(worker, site);
    if (traced(worker)) worker.trace->group_begin(base::ticks(), worker.task->id);
}

void group_ends(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::group_ends(worker, site);
}

void taskloop_begins(team::Worker& worker, std::uint64_t iterations, base::CallSite site) {
    if (observed(worker)) ompt::taskloop(worker, true, iterations, site);
}

void taskloop_ends(team::Worker& worker, std::uint64_t iterations, base::CallSite site) {
    if (observed(worker)) ompt::taskloop(worker, false, iterations, site);
}

void idled(team::Worker& worker, base::Ticks since) {
    if (traced(worker)) worker.trace->idle(since, base::ticks());
}

} // namespace teff::task::events
