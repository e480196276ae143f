// SPDX-License-Identifier: Apache-2.0
#include "probe/stat/counters.h"
#include "probe/stat/priorities.h"
#include "task/events.h"
#include "task/events_counted.h"

namespace teff::task::events {

bool need_whole_path(const team::Worker& worker) {
    return team::observed_or_counts_fragments(worker) || (counted(worker) && worker.stat->is_called != 0) ||
           (team::only_traced(worker) && worker.calls_after == worker.task_ids.last());
}

} // namespace teff::task::events

namespace teff::task::events::stat {

using probe::stat::count;
using probe::stat::Counters;
using probe::stat::enter;

namespace {

// Returns 0 if `to` is before `from`, because the clocks of two processors may differ slightly.
base::Ticks length(base::Ticks from, base::Ticks to) { return to > from ? to - from : 0; }

} // namespace

void created(team::Worker& worker, const Task& task, const Creation& creation) {
    Counters& counters = *worker.stat;
    const bool dependent = creation.depend.given();
    count(counters, TEFF_STAT_CREATED);
    if (dependent) count(counters, TEFF_STAT_DEPENDENT);
    if ((task.flags & kUndeferred) != 0) count(counters, TEFF_STAT_UNDEFERRED);
    enter(counters, dependent ? TEFF_STAT_DEPENDENCES : TEFF_STAT_QUEUES, creation.met);
}

void creation_ends(team::Worker& worker) { enter(*worker.stat, TEFF_STAT_USER); }

void body_began(team::Worker& worker, const Task& task, const Body& body) {
    counting::body_begins(*worker.stat, task);
    enter(*worker.stat, TEFF_STAT_USER, body.began);
}

void body_ends(team::Worker& worker, const Task& task, const Body& body, base::Ticks ended) {
    const teff_stat_state next = counting::body_ends(worker, task, body.skipped);
    enter(*worker.stat, next, ended);
}

void dependences_released(team::Worker& worker) { enter(*worker.stat, TEFF_STAT_QUEUES); }

void runs_at_once(team::Worker& worker, base::Ticks now) {
    count(*worker.stat, TEFF_STAT_RUN_AT_ONCE);
    worker.stat->runs_at_once = 1;
    enter(*worker.stat, TEFF_STAT_QUEUES, now);
}

void depends_on(team::Worker& worker, std::uint32_t tasks, std::uint32_t unfulfilled) {
    counting::depends_on(*worker.stat, tasks, unfulfilled);
}

void waits(team::Worker& worker, base::Ticks now) {
    count(*worker.stat, TEFF_STAT_WAITS);
    enter(*worker.stat, TEFF_STAT_WAITING, now);
}

void waited(team::Worker& worker) { enter(*worker.stat, TEFF_STAT_USER); }

void ran_out(team::Worker& worker) { enter(*worker.stat, TEFF_STAT_WAITING); }

void idles(team::Worker& worker, base::Ticks now) {
    count(*worker.stat, TEFF_STAT_PARKS);
    enter(*worker.stat, TEFF_STAT_IDLE, now);
}

void idled(team::Worker& worker) { enter(*worker.stat, TEFF_STAT_WAITING); }

void ran(team::Worker& worker, std::int32_t priority, base::Ticks ready, base::Ticks began) {
    probe::stat::Priority* const counts = probe::stat::of_priority(*worker.stat, worker.number, priority);
    if (counts == nullptr) return;
    ++counts->tasks;
    if (ready == 0) return;
    probe::stat::add(counts->delay, length(ready, began));
    probe::stat::add(counts->turnaround, length(ready, base::ticks()));
}

void answered(team::Worker& worker, const Request& request, base::Ticks looked) {
    probe::stat::Priority* const counts = probe::stat::of_priority(*worker.stat, worker.number, request.priority);
    if (counts == nullptr) return;
    ++counts->requests;
    if (request.answer != Answer::kPreempted) ++counts->not_worth;
    else if (request.asked != 0) probe::stat::add(counts->to_switch, length(request.asked, looked));
}

void preempted(team::Worker& worker, const Preemption& preemption) {
    Counters& counters = *worker.stat;
    count(counters, TEFF_STAT_PREEMPTED);
    enter(counters, TEFF_STAT_USER);
    const std::int32_t priority = worker.task->priority;
    if (probe::stat::Priority* const counts = probe::stat::of_priority(counters, worker.number, priority))
        probe::stat::add(counts->away, length(preemption.left, base::ticks()));
    if (probe::stat::Priority* const counts = probe::stat::of_priority(counters, worker.number, preemption.by)) {
        ++counts->preempting;
        if (preemption.rest != 0) probe::stat::add(counts->gained, preemption.rest);
        if (!preemption.pays) ++counts->not_worth;
    }
}

} // namespace teff::task::events::stat
