// SPDX-License-Identifier: Apache-2.0
// The recorder's halves of task creation and execution: called only while a recording is on.
#include "task/create.h"

namespace teff::task {

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

} // namespace

void record_creation(team::Worker& worker, Task& task, base::Ticks met, base::CallSite site) {
    probe::trace::Stream& trace = *worker.trace;
    const base::Ticks cost = base::ticks() - met; // before the look-up of the site, which is the recorder's own time
    task.site = trace.site(site.code(), reinterpret_cast<const void*>(task.function));
    trace.create(met, create_flags(task), task.id, task.parent_id, task.site, cost);
}

void call_recorded(team::Worker& worker, Task& task) {
    probe::trace::Stream& trace = *worker.trace;
    const bool skip = cancelled(*worker.member->team, task.group);
    const std::uint64_t id = task.id;
    const std::uint64_t region = worker.member->team->region_id;
    const base::Ticks start = base::ticks();
    if (!skip) task.function(task.args);
    std::uint8_t flags = skip ? TEFF_RUN_CANCELLED : 0;
    if (stream_of(id) != worker.number) flags |= TEFF_RUN_STOLEN;
    trace.run(start, base::ticks(), flags, id, region);
}

} // namespace teff::task
