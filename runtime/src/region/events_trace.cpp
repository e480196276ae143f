// SPDX-License-Identifier: Apache-2.0
#include "region/events.h"

#include "probe/trace/stream.h"
#include "task/task.h"
#include "task/wait_site.h"

namespace teff::region::events::trace {

// The leader's work here counts as the time between the start of the region and the start of its
// implicit task.
void region_begins(team::Worker& leader, team::Team& team, const Construct& construct, unsigned requested,
                   base::Ticks met) {
    leader.trace->doubt_sites();
    team.recording.region_id = leader.instance_ids.next();
    team.recording.leader_started = met;
    team.recording.code = code_of(construct);
    const std::uint32_t site = leader.trace->region_site(team.recording.site, team.recording.code);
    leader.trace->region(met, team.recording.region_id, leader.task->id, site, team.size, requested, team.level);
}

void member_begins(team::Worker& worker, const team::Team& team) {
    const bool leads = worker.member->number == 0; // the leader has just doubted its sites
    const base::Ticks when = leads ? team.recording.leader_started : base::ticks();
    const task::Task& task = *worker.task;
    if (!leads) worker.trace->doubt_sites();
    const std::uint32_t site = worker.trace->place(team.recording.site, team.recording.code);
    worker.trace->create(when, TEFF_TASK_IMPLICIT, task.id, task.parent_id, site, worker.member->number);
    worker.trace->start(when, task.id, team.recording.region_id);
}

void member_joins(team::Worker& worker, const team::Team& team, base::Ticks began) {
    worker.trace->run(began, base::ticks(), 0, worker.task->id, team.recording.region_id);
}

void leader_waited(team::Worker& leader, const team::Team& team, base::Ticks joined, base::Ticks ended) {
    probe::trace::Stream& stream = *leader.trace;
    const std::uint32_t site = stream.place(team.recording.site, nullptr);
    stream.wait(joined, ended, TEFF_WAIT_REGION_END, leader.task->id, site, ++leader.member->barriers);
}

void region_ends(team::Worker& leader, const team::Team& team, base::Ticks joined) {
    const base::Ticks now = base::ticks();
    leader_waited(leader, team, joined, now);
    leader.trace->run(team.recording.leader_started, now, 0, leader.task->id, team.recording.region_id);
}

void region_left(team::Worker& leader, std::uint64_t region_id) { leader.trace->region_end(base::ticks(), region_id); }

void initial_task_begins(team::Worker& worker) {
    const base::Ticks now = base::ticks();
    worker.trace->initial_task(now, worker.task->id);
    worker.member->team->recording.leader_started = now;
}

void initial_task_ends(team::Worker& worker) {
    const base::Ticks began = worker.member->team->recording.leader_started;
    worker.trace->run(began, base::ticks(), TEFF_RUN_INITIAL, worker.task->id, 0);
}

// An explicit task or a chunk is already a thread's share, and the initial task has no share.
void team_size_asked(team::Worker& worker) {
    const team::Member& member = *worker.member;
    if (worker.task != member.implicit_task || member.team->level == 0 || member.loop.chunk_iterations != 0) return;
    worker.trace->team_size(base::ticks(), worker.task->id);
}

void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site, base::Ticks began, base::Ticks ended,
                  std::uint32_t ordinal) {
    const teff_wait_kind wait = kind == BarrierKind::kExplicit ? TEFF_WAIT_BARRIER : TEFF_WAIT_IMPLICIT_BARRIER;
    worker.trace->wait(began, ended, wait, worker.task->id, task::wait_site(worker, site), ordinal);
}

// For the tasks around it, the initial task is an undeferred child of the task that met the
// construct.
void included_target_begins(team::Worker& worker, const task::Task& outer, base::CallSite site) {
    const base::Ticks now = base::ticks();
    worker.trace->create(now, TEFF_TASK_UNDEFERRED, worker.task->id, outer.id, worker.trace->site(site.code(), nullptr),
                         0);
    worker.trace->start(now, worker.task->id, 0);
}

void included_target_ends(team::Worker& worker, base::Ticks began) {
    worker.trace->run(began, base::ticks(), TEFF_RUN_ON_TOP, worker.task->id, 0);
}

// Ids are otherwise unique (task/eligible.h), but these two tasks may share an id: the target task
// has no other child, and never waits itself.
void deferred_target_begins(team::Worker& worker, const task::Task& target_task) { worker.task->id = target_task.id; }

} // namespace teff::region::events::trace
