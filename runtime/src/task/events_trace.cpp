// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/stream.h"
#include "task/events_recorded.h"
#include "task/wait_site.h"
#include "team/probes.h"
#include "team/team.h"

namespace teff::task::events::trace {

namespace {

template <TaskFlags from, unsigned to> constexpr unsigned bit(TaskFlags flags) { return (flags & from) != 0 ? to : 0u; }

std::uint8_t create_flags(const Task& task) {
    const TaskFlags flags = task.flags;
    unsigned kind = 0;
    if (TEFF_UNLIKELY((flags & kUndeferred) != 0))
        kind = (task.parent->flags & kFinal) != 0 ? unsigned{TEFF_TASK_INCLUDED} : unsigned{TEFF_TASK_UNDEFERRED};
    return static_cast<std::uint8_t>(
        kind | bit<kUntied, TEFF_TASK_UNTIED>(flags) | bit<kFinal, TEFF_TASK_FINAL>(flags) |
        bit<kDetachable, TEFF_TASK_DETACHABLE>(flags) | bit<kDependent, TEFF_TASK_DEPEND>(flags) |
        bit<kTaskloop, TEFF_TASK_TASKLOOP>(flags));
}

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

// A separate function, called before CREATE is recorded, so that a task without priority costs one
// comparison.
TEFF_COLD void has_priority(probe::trace::Stream& stream, const Task& task, const Creation& creation) {
    stream.priority(creation.met, task.id, task.priority);
}

} // namespace

// The creation's end is recorded later, so that the recorder's work here counts as part of the
// creation.
void created(team::Worker& worker, Task& task, const Creation& creation) {
    probe::trace::Stream& stream = *worker.trace;
    team::prepare_sites(worker);
    if (TEFF_UNLIKELY(task.priority > 0)) has_priority(stream, task, creation);
    task.site = stream.site(creation.site.code(), reinterpret_cast<const void*>(task.function));
    stream.creation_begins(creation.met, create_flags(task), task.id, task.parent_id, task.site);
}

const char* begins_at_once(team::Worker& worker, Task& task, const Creation& creation) {
    probe::trace::Stream& stream = *worker.trace;
    team::prepare_sites(worker);
    task.site = stream.site(creation.site.code(), reinterpret_cast<const void*>(task.function));
    return stream.task_begins_at_once(creation.met, create_flags(task), task.id, task.parent_id, task.site,
                                      worker.member->team->recording.region_id);
}

// The clock is read after the loads, because a creation reads data that other threads change: its
// predecessors, and the number of tasks that have ended.
void creation_ends(team::Worker& worker) {
    if (worker.trace->is_creating()) worker.trace->creation_ends(base::ticks_behind_loads());
}

void creation_ended(team::Worker& worker, base::Ticks when) { worker.trace->creation_ends(when); }

void depends(team::Worker& worker, const Dependence& dependence) {
    recording::Dependences(worker, dependence.successor_id, dependence.address, dependence.kind,
                           dependence.predecessor_kind, dependence.of_wait)
        .on(dependence.predecessor.task_id, dependence.unfulfilled);
}

void body_ends(team::Worker& worker, const Body& body, base::Ticks ended) { recording::body_ends(worker, body, ended); }

void waited(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks began, base::Ticks ended) {
    probe::trace::Stream& stream = *worker.trace;
    team::prepare_sites(worker);
    stream.wait(began, ended, kind_of(wait), worker.task->id, wait_site(worker, site), 0, worker.task->departures);
}

void answered(team::Worker& worker, const Request& request, base::Ticks looked) {
    constexpr teff_request_end kEnds[] = {TEFF_REQUEST_PREEMPTED, TEFF_REQUEST_NOTHING, TEFF_REQUEST_BY_ITSELF};
    const std::uint64_t task = request.answer == Answer::kByItself ? 0 : worker.task->id.get();
    worker.trace->request(request.asked, looked, kEnds[static_cast<unsigned>(request.answer)], task, request.priority);
}

// The record has no site: only the signal frame has the position in the program.
void preempted(team::Worker& worker, base::Ticks left, base::Ticks ended) {
    worker.trace->wait(left, ended, TEFF_WAIT_PREEMPTED, worker.task->id, 0, 0, 1);
}

void turned(team::Worker& worker) {
    const team::Turns::Counts& counts = worker.turns.counts();
    worker.trace->note_turns(
        {.turns = counts.turns, .hasty_turns = counts.hasty_turns, .hasty_ticks = counts.hasty_ticks});
}

void ran_at_once(team::Worker& worker, std::uint32_t site, base::Ticks began) {
    worker.trace->wait(began, base::ticks(), TEFF_WAIT_RUN_AT_ONCE, worker.task->id, site, 0);
}

void fulfilled(team::Worker& worker, std::uint64_t task_id, bool body_ended, base::Ticks when) {
    worker.trace->fulfil(when, base::ticks(), body_ended ? TEFF_FULFIL_LATE : 0, task_id);
}

void group_begins(team::Worker& worker) { worker.trace->group_begin(base::ticks(), worker.task->id); }

void idled(team::Worker& worker, base::Ticks since, std::uint32_t sleep) {
    worker.trace->idle(since, base::ticks(), sleep);
}

} // namespace teff::task::events::trace
