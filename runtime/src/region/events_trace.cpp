// SPDX-License-Identifier: Apache-2.0
#include "region/events.h"

#include "probe/trace/stream.h"
#include "task/task.h"

namespace teff::region::events::trace {

void region_begins(team::Worker& leader, team::Team& team, const Construct& construct, unsigned requested) {
    leader.trace->doubt_sites();
    team.recording.region_id = leader.instance_ids.next();
    leader.trace->region(base::ticks(), team.recording.region_id, leader.task->id,
                         leader.trace->site(team.recording.site, reinterpret_cast<void*>(construct.body.function)),
                         team.size, requested, team.level);
}

void member_begins(team::Worker& worker, const team::Team& team, base::Ticks now) {
    const task::Task& task = *worker.task;
    worker.trace->doubt_sites();
    const std::uint32_t site = worker.trace->site(team.recording.site, reinterpret_cast<void*>(team.body.function));
    worker.trace->create(now, TEFF_TASK_IMPLICIT, task.id, task.parent_id, site, worker.member->number);
    worker.trace->start(now, task.id, team.recording.region_id);
}

void member_joins(team::Worker& worker, const team::Team& team, base::Ticks began) {
    worker.trace->run(began, base::ticks(), 0, worker.task->id, team.recording.region_id);
}

void region_ends(team::Worker& leader, const team::Team& team, base::Ticks joined) {
    leader.trace->wait(joined, base::ticks(), TEFF_WAIT_REGION_END, leader.task->id,
                       leader.trace->site(team.recording.site, nullptr), ++leader.member->barriers);
    member_joins(leader, team, team.recording.leader_started);
    leader.trace->region_end(base::ticks(), team.recording.region_id);
}

void initial_task_begins(team::Worker& worker) {
    worker.trace->create(base::ticks(), TEFF_TASK_IMPLICIT, worker.task->id, 0, 0, 0);
    worker.trace->start(base::ticks(), worker.task->id, 0);
    worker.member->team->recording.leader_started = base::ticks();
}

void initial_task_ends(team::Worker& worker) {
    worker.trace->run(worker.member->team->recording.leader_started, base::ticks(), 0, worker.task->id, 0);
}

void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site, base::Ticks began,
                  std::uint32_t ordinal) {
    const teff_wait_kind wait = kind == BarrierKind::kExplicit ? TEFF_WAIT_BARRIER : TEFF_WAIT_IMPLICIT_BARRIER;
    worker.trace->wait(began, base::ticks(), wait, worker.task->id, worker.trace->site(site.code(), nullptr), ordinal);
}

// To its surroundings, the initial task is an undeferred child of the task that met the construct.
void included_target_begins(team::Worker& worker, const task::Task& outer, base::CallSite site, base::Ticks now) {
    worker.trace->create(now, TEFF_TASK_UNDEFERRED, worker.task->id, outer.id, worker.trace->site(site.code(), nullptr),
                         0);
    worker.trace->start(now, worker.task->id, 0);
}

void included_target_ends(team::Worker& worker, base::Ticks began) {
    worker.trace->run(began, base::ticks(), 0, worker.task->id, 0);
}

// Ids are unique otherwise (task/eligible.h), but these two may be taken for one: the target task
// has no other child, and never waits itself.
void deferred_target_begins(team::Worker& worker, const task::Task& target_task) { worker.task->id = target_task.id; }

} // namespace teff::region::events::trace
