// SPDX-License-Identifier: Apache-2.0
#include "region/events.h"

#include "region/events_ompt.h"
#include "region/events_trace.h"
#include "task/task.h"
#include "team/probes.h"

namespace teff::region::events {

bool in_initial_task(const team::Worker& worker) {
    const team::Team& team = *worker.member->team;
    return worker.member != &team::nowhere && team.level == 0 && team.place_left == nullptr &&
           (worker.task->flags & task::kImplicit) != 0;
}

void region_begins(team::Worker& leader, team::Team& team, const Construct& construct, unsigned requested) {
    team.site = construct.site.code();
    if (traced(leader)) trace::region_begins(leader, team, construct, requested);
    if (observed(leader)) ompt::region_begins(leader, team, construct);
}

base::Ticks member_begins(team::Worker& worker, team::Team& team) {
    // A leader of which the tool does not hear has left no records. Then the tool is over, and the
    // leader came later than this worker.
    if (observed(worker) && TEFF_UNLIKELY(team.encountering_record == nullptr)) team::leave_tool(worker);
    if (observed(worker)) ompt::member_begins(worker, team);
    const base::Ticks now = base::ticks();
    if (traced(worker)) trace::member_begins(worker, team, now);
    return now;
}

void call_body_probed(team::Worker& worker, team::RegionBody body) {
    if (observed(worker)) ompt::body_begins(worker, __builtin_frame_address(0));
    body.function(body.data);
    team::Worker& after = team::current_worker(); // the body may have switched contexts
    if (observed(after)) ompt::body_ends(after);  // which also keeps this frame alive until here
}

void target_begins(team::Worker& worker, bool included, base::CallSite site) {
    if (observed(worker)) ompt::target_begins(worker, included, site);
}

void target_ends(team::Worker& worker) {
    if (observed(worker)) ompt::target_ends(worker);
}

base::Ticks target_task_begins(team::Worker& worker, TargetTask kind, const task::Task& outer, base::CallSite site) {
    const base::Ticks now = base::ticks();
    if (observed(worker)) ompt::target_task_begins(worker);
    if (!traced(worker)) return now;
    if (kind == TargetTask::kIncluded) trace::included_target_begins(worker, outer, site, now);
    else trace::deferred_target_begins(worker, outer);
    return now;
}

void target_task_ends(team::Worker& worker, TargetTask kind, base::Ticks began) {
    if (traced(worker) && kind == TargetTask::kIncluded) trace::included_target_ends(worker, began);
    if (observed(worker)) ompt::target_task_ends(worker);
}

void league_begins(team::Worker& worker, LeagueRecords& records, const League& league, base::CallSite site) {
    if (observed(worker)) ompt::league_begins(worker, records, league, site);
}

void league_ends(team::Worker& worker, LeagueRecords& records, base::CallSite site) {
    if (observed(worker)) ompt::league_ends(worker, records, site);
}

void team_begins(team::Worker& worker, LeagueRecords& records, const League& league) {
    if (observed(worker)) ompt::team_begins(worker, records, league);
}

void team_ends(team::Worker& worker, const League& league) {
    if (observed(worker)) ompt::team_ends(worker, league);
}

void member_joins(team::Worker& worker, team::Team& team, base::Ticks began) {
    if (traced(worker)) trace::member_joins(worker, team, began);
    if (observed(worker)) ompt::member_joins(worker, team);
}

void member_released(team::Worker& worker) { ompt::member_released(worker); }

base::Ticks leader_joins(team::Worker& leader, team::Team& team) {
    if (observed(leader)) ompt::member_joins(leader, team);
    return base::ticks();
}

void region_ends(team::Worker& leader, team::Team& team, base::Ticks joined) {
    if (traced(leader)) trace::region_ends(leader, team, joined);
    if (observed(leader)) ompt::region_ends(leader, team);
}

void initial_task_begins(team::Worker& worker) {
    if (observed(worker)) ompt::initial_task_begins(worker);
    if (traced(worker)) trace::initial_task_begins(worker);
}

bool initial_task_ends(team::Worker& worker) {
    if (!in_initial_task(worker)) return false;
    if (traced(worker)) trace::initial_task_ends(worker);
    if (observed(worker)) ompt::initial_task_ends(worker);
    return true;
}

bool tool_may_leave(const team::Worker& worker) {
    return in_initial_task(worker) && observed(worker) && ompt::tool_may_leave(worker);
}

void tool_leaves(team::Worker& worker) { ompt::tool_leaves(worker); }

base::Ticks barrier_begins(team::Worker& worker, BarrierKind kind, base::CallSite site) {
    if (observed(worker)) ompt::barrier_begins(worker, kind, site);
    return base::ticks();
}

void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site, base::Ticks began,
                  std::uint32_t ordinal) {
    if (traced(worker)) trace::barrier_ends(worker, kind, site, began, ordinal);
    if (observed(worker)) ompt::barrier_ends(worker, kind, site);
}

void cancels(team::Worker& worker, int kind, base::CallSite site) {
    if (observed(worker)) ompt::cancellation(worker, kind, true, site);
}

void cancellation_seen(team::Worker& worker, int kind, base::CallSite site) {
    if (observed(worker)) ompt::cancellation(worker, kind, false, site);
}

} // namespace teff::region::events
