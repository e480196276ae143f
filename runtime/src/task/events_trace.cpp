// SPDX-License-Identifier: Apache-2.0
#include "task/events.h"

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

// By ItemKind: what the successor says.
constexpr std::uint8_t kItemKinds[] = {TEFF_DEP_IN, TEFF_DEP_OUT, TEFF_DEP_INOUTSET, TEFF_DEP_INOUT,
                                       TEFF_DEP_MUTEXINOUTSET};
static_assert(kItemKinds[static_cast<unsigned>(ItemKind::kInoutset)] == TEFF_DEP_INOUTSET);
static_assert(kItemKinds[static_cast<unsigned>(ItemKind::kInout)] == TEFF_DEP_INOUT);
static_assert(kItemKinds[static_cast<unsigned>(ItemKind::kMutexinoutset)] == TEFF_DEP_MUTEXINOUTSET);

// By DependKind: what the predecessor did.
constexpr std::uint8_t kPredecessorKinds[] = {TEFF_DEP_IN, TEFF_DEP_INOUT, TEFF_DEP_INOUTSET};
static_assert(kPredecessorKinds[static_cast<unsigned>(DependKind::kInoutset)] == TEFF_DEP_INOUTSET);

std::uint8_t dependence_flags(const Dependence& dependence) {
    const bool all_memory = dependence.address == nullptr;
    const std::uint8_t said = kItemKinds[static_cast<unsigned>(dependence.kind)];
    const unsigned kind = all_memory ? std::uint8_t{TEFF_DEP_ALL_MEMORY} : said;
    const unsigned predecessor_kind = kPredecessorKinds[static_cast<unsigned>(dependence.predecessor_kind)];
    const unsigned fulfilled = dependence.unfulfilled ? 0u : unsigned{TEFF_DEP_FULFILLED};
    const unsigned of_wait = dependence.of_wait ? unsigned{TEFF_DEP_OF_WAIT} : 0u;
    return static_cast<std::uint8_t>(kind | predecessor_kind << TEFF_DEP_PREDECESSOR_SHIFT | fulfilled | of_wait);
}

// Apart and before CREATE, so that a task without priority costs one comparison.
TEFF_COLD void has_priority(probe::trace::Stream& stream, const Task& task, const Creation& creation) {
    stream.priority(creation.met, task.id, task.priority);
}

} // namespace

// Its end comes later, so that what the recorder does here lies within.
void created(team::Worker& worker, Task& task, const Creation& creation) {
    probe::trace::Stream& stream = *worker.trace;
    team::prepare_sites(worker);
    if (TEFF_UNLIKELY(task.priority > 0)) has_priority(stream, task, creation);
    task.site = stream.site(creation.site.code(), reinterpret_cast<const void*>(task.function));
    stream.creation_begins(creation.met, create_flags(task), task.id, task.parent_id, task.site);
}

// A creation looks at what other threads change: at its predecessors, and at how many tasks have
// ended.
void creation_ends(team::Worker& worker) {
    if (worker.trace->is_creating()) worker.trace->creation_ends(base::ticks_behind_loads());
}

void creation_ended(team::Worker& worker, base::Ticks when) { worker.trace->creation_ends(when); }

void depends(team::Worker& worker, const Dependence& dependence) {
    probe::trace::Stream& stream = *worker.trace;
    const base::Ticks when = stream.is_creating() ? stream.creation_began() : base::ticks();
    stream.dependence(when, dependence_flags(dependence), dependence.successor_id, dependence.predecessor.task_id,
                      reinterpret_cast<std::uintptr_t>(dependence.address));
}

void body_ends(team::Worker& worker, const Body& body, base::Ticks ended) {
    std::uint8_t flags = body.skipped ? TEFF_RUN_CANCELLED : 0;
    if (stream_of(body.task_id) != worker.number) flags |= TEFF_RUN_STOLEN;
    worker.trace->run(body.began, ended, flags, body.task_id, body.region_id);
}

void waited(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks began) {
    probe::trace::Stream& stream = *worker.trace;
    const base::Ticks ended = base::ticks();
    team::prepare_sites(worker);
    stream.wait(began, ended, kind_of(wait), worker.task->id, stream.site(site.code(), nullptr), 0,
                worker.task->departures);
}

// Where the program was is known to the signal frame alone: no site.
void preempted(team::Worker& worker, base::Ticks left) {
    worker.trace->wait(left, base::ticks(), TEFF_WAIT_PREEMPTED, worker.task->id, 0, 0, 1);
}

void turned(team::Worker& worker) {
    const team::Supervisor::Counts& counts = worker.supervisor.counts();
    worker.trace->note_turns({.turns = counts.turns,
                              .in_place = counts.in_place,
                              .hasty_turns = counts.hasty_turns,
                              .hasty_ticks = counts.hasty_ticks});
}

void ran_at_once(team::Worker& worker, std::uint32_t site, base::Ticks began) {
    worker.trace->wait(began, base::ticks(), TEFF_WAIT_RUN_AT_ONCE, worker.task->id, site, 0);
}

void fulfilled(team::Worker& worker, std::uint64_t task_id, bool body_ended, base::Ticks when) {
    worker.trace->fulfil(when, base::ticks(), body_ended ? TEFF_FULFIL_LATE : 0, task_id);
}

void group_begins(team::Worker& worker) { worker.trace->group_begin(base::ticks(), worker.task->id); }

void idled(team::Worker& worker, base::Ticks since) { worker.trace->idle(since, base::ticks()); }

} // namespace teff::task::events::trace
