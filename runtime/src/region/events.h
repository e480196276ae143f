// SPDX-License-Identifier: Apache-2.0
//
// What regions, implicit tasks and barriers report to the probes. Called only while one is on
// (Worker::probes is not 0), by the worker's own thread. Each function serves every sink that is
// on; the sinks' own halves are in events_trace.cpp, events_ompt.cpp and events_stat.cpp. They only
// report: they wake nobody, wait for nobody, run no code of the program, and return nothing but
// times and ids (scripts/check_sinks.py). tool_may_leave alone answers a question.
#pragma once

#include "base/clock.h"
#include "region/region.h"
#include "task/task.h"
#include "team/probes.h"

namespace teff::region::events {

// What a tool keeps of a league and its teams: the sink's.
struct LeagueRecords;

// The sinks' halves: events_trace.cpp appends records to the worker's stream, events_ompt.cpp tells
// the tool. Each is called only while its sink is on.
namespace trace {
void region_begins(team::Worker& leader, team::Team& team, const Construct& construct, unsigned requested,
                   base::Ticks met);
void member_begins(team::Worker& worker, const team::Team& team);
void member_joins(team::Worker& worker, const team::Team& team, base::Ticks began);
void region_ends(team::Worker& leader, const team::Team& team, base::Ticks joined);
void region_left(team::Worker& leader, std::uint64_t region_id);
void initial_task_begins(team::Worker& worker);
void initial_task_ends(team::Worker& worker);
void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site, base::Ticks began,
                  std::uint32_t ordinal);
void team_size_asked(team::Worker& worker);

// The initial task of a target region. One that was deferred has a record already, as the target
// task that it runs in: there they count as one.
void included_target_begins(team::Worker& worker, const task::Task& outer, base::CallSite site);
void included_target_ends(team::Worker& worker, base::Ticks began);
void deferred_target_begins(team::Worker& worker, const task::Task& target_task);
} // namespace trace

namespace ompt {
void region_begins(team::Worker& leader, team::Team& team, const Construct& construct);
void member_begins(team::Worker& worker, team::Team& team);
void body_begins(team::Worker& worker, void* frame);
void body_ends(team::Worker& worker);
void member_joins(team::Worker& worker, const team::Team& team);
void member_released(team::Worker& worker);
void region_ends(team::Worker& leader, team::Team& team);
void initial_task_begins(team::Worker& worker);
void initial_task_ends(team::Worker& worker);
bool tool_may_leave(const team::Worker& worker);
void tool_leaves(team::Worker& worker);
void barrier_begins(team::Worker& worker, BarrierKind kind, base::CallSite site);
void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site);
void cancellation(team::Worker& worker, int kind, bool activates, base::CallSite site);
void target_begins(team::Worker& worker, bool included, base::CallSite site);
void target_ends(team::Worker& worker);
void target_task_begins(team::Worker& worker);
void target_task_ends(team::Worker& worker);
LeagueRecords& league_begins(team::Worker& worker, const League& league, base::CallSite site);
void league_ends(team::Worker& worker, LeagueRecords& records, base::CallSite site);
void team_begins(team::Worker& worker, LeagueRecords& records, const League& league);
void team_ends(team::Worker& worker, const League& league);
} // namespace ompt

namespace stat {
void region_begins(team::Worker& leader, base::Ticks met);
void member_begins(team::Worker& worker, base::Ticks now);
void member_joins(team::Worker& worker, base::Ticks now);
void region_ends(team::Worker& leader);
void region_left(team::Worker& leader);
void initial_task_begins(team::Worker& worker);
void barrier_begins(team::Worker& worker, BarrierKind kind, base::Ticks now);
void barrier_ends(team::Worker& worker);
} // namespace stat

// The interface.

// The leader has met the construct; it has set the team up, and no member has begun.
TEFF_APART inline base::Ticks construct_met() { return base::ticks(); }

TEFF_APART inline void region_begins(team::Worker& leader, team::Team& team, const Construct& construct,
                                     unsigned requested, base::Ticks met) {
    team.recording.site = construct.site.code();
    if (traced(leader)) trace::region_begins(leader, team, construct, requested, met);
    if (observed(leader)) ompt::region_begins(leader, team, construct);
    if (counted(leader)) stat::region_begins(leader, met);
}

// A member's implicit task begins, and calls the construct's body. Returns when it began, for
// member_joins.
TEFF_APART inline base::Ticks member_begins(team::Worker& worker, team::Team& team) {
    // A leader of which the tool does not hear has left no records. Then the tool is over, and the
    // leader came later than this worker.
    if (observed(worker) && TEFF_UNLIKELY(team.tool.encountering_record == nullptr)) team::leave_tool(worker);
    if (observed(worker)) ompt::member_begins(worker, team);
    if (traced(worker)) trace::member_begins(worker, team);
    const base::Ticks now = base::ticks(); // the recorder's work is not the task's
    if (counted(worker)) stat::member_begins(worker, now);
    return now;
}

TEFF_APART inline void call_body_probed(team::Worker& worker, team::RegionBody body) {
    if (observed(worker)) ompt::body_begins(worker, __builtin_frame_address(0));
    body.function(body.data);
    team::Worker& after = team::current_worker(); // the body may have switched contexts
    if (observed(after)) ompt::body_ends(after);  // which also keeps this frame alive until here
}

inline void call_body(team::Worker& worker, team::RegionBody body) {
    if (TEFF_UNLIKELY(worker.probes != 0)) call_body_probed(worker, body);
    else body.function(body.data);
}

// omp_get_num_threads was called.
TEFF_APART inline void team_size_asked(team::Worker& worker) {
    if (traced(worker)) trace::team_size_asked(worker);
}

// A target region begins and ends on this thread: `included` in the task that met the construct, or
// as the current task, which was deferred.
TEFF_APART inline void target_begins(team::Worker& worker, bool included, base::CallSite site) {
    if (observed(worker)) ompt::target_begins(worker, included, site);
}

TEFF_APART inline void target_ends(team::Worker& worker) {
    if (observed(worker)) ompt::target_ends(worker);
}

// The initial task in it; `outer` met the construct, or was deferred for it.
TEFF_APART inline base::Ticks target_task_begins(team::Worker& worker, TargetTask kind, const task::Task& outer,
                                                 base::CallSite site) {
    if (observed(worker)) ompt::target_task_begins(worker);
    if (traced(worker)) {
        if (kind == TargetTask::kIncluded) trace::included_target_begins(worker, outer, site);
        else trace::deferred_target_begins(worker, outer);
    }
    return base::ticks();
}

TEFF_APART inline void target_task_ends(team::Worker& worker, TargetTask kind, base::Ticks began) {
    if (traced(worker) && kind == TargetTask::kIncluded) trace::included_target_ends(worker, began);
    if (observed(worker)) ompt::target_task_ends(worker);
}

// A league begins and ends; so does each of its teams, League::number as it is then: an initial
// task of its own, to a tool. The first returns what the others need; null: no tool.
TEFF_APART inline LeagueRecords* league_begins(team::Worker& worker, const League& league, base::CallSite site) {
    return observed(worker) ? &ompt::league_begins(worker, league, site) : nullptr;
}

TEFF_APART inline void league_ends(team::Worker& worker, LeagueRecords* records, base::CallSite site) {
    if (observed(worker)) ompt::league_ends(worker, *records, site); // else this is a forked child
}

TEFF_APART inline void team_begins(team::Worker& worker, LeagueRecords* records, const League& league) {
    if (observed(worker)) ompt::team_begins(worker, *records, league);
}

TEFF_APART inline void team_ends(team::Worker& worker, const League& league) {
    if (observed(worker)) ompt::team_ends(worker, league);
}

// A worker's body is over; it waits for the others from here on. Later, with a tool, the region has
// ended (tool_notices.h).
TEFF_APART inline void member_joins(team::Worker& worker, team::Team& team, base::Ticks began) {
    if (counted(worker)) stat::member_joins(worker, base::ticks());
    if (traced(worker)) trace::member_joins(worker, team, began);
    if (observed(worker)) ompt::member_joins(worker, team);
}

TEFF_APART inline void member_released(team::Worker& worker) { ompt::member_released(worker); }

// The leader's body is over; it waits for the others from here on. Returns when, for region_ends.
TEFF_APART inline base::Ticks leader_joins(team::Worker& leader, team::Team& team) {
    if (observed(leader)) ompt::member_joins(leader, team);
    const base::Ticks now = base::ticks();
    if (counted(leader)) stat::member_joins(leader, now);
    return now;
}

// All have joined, and no task is left. After the second the task that met the construct goes on at
// once: what the leader does until then is none of that task's work.
TEFF_APART inline void region_ends(team::Worker& leader, team::Team& team, base::Ticks joined) {
    if (counted(leader)) stat::region_ends(leader);
    if (traced(leader)) trace::region_ends(leader, team, joined);
    if (observed(leader)) ompt::region_ends(leader, team);
}

TEFF_APART inline void region_left(team::Worker& leader, std::uint64_t region_id) {
    if (traced(leader)) trace::region_left(leader, region_id);
    if (counted(leader)) stat::region_left(leader);
}

// The initial task of a thread that the program has started.
TEFF_APART inline void initial_task_begins(team::Worker& worker) {
    if (observed(worker)) ompt::initial_task_begins(worker);
    if (traced(worker)) trace::initial_task_begins(worker);
    if (counted(worker)) stat::initial_task_begins(worker);
}

TEFF_APART inline bool in_initial_task(const team::Worker& worker) {
    const team::Team& team = *worker.member->team;
    return worker.member != &team::nowhere && team.level == 0 && team.place_left == nullptr &&
           (worker.task->flags & task::kImplicit) != 0;
}

// False: the thread ends in the middle of something else, and so leaves its initial task
// unfinished.
[[nodiscard]] TEFF_APART inline bool initial_task_ends(team::Worker& worker) {
    if (!in_initial_task(worker)) return false;
    if (traced(worker)) trace::initial_task_ends(worker);
    if (observed(worker)) ompt::initial_task_ends(worker);
    return true;
}

// Is the calling thread, a tool's thread, in the program's own code of its initial task? Then the
// tool can be told that both are over.
TEFF_APART inline bool tool_may_leave(const team::Worker& worker) {
    return in_initial_task(worker) && observed(worker) && ompt::tool_may_leave(worker);
}

TEFF_APART inline void tool_leaves(team::Worker& worker) { ompt::tool_leaves(worker); }

// A member meets a barrier, its `ordinal`th in this region, and leaves it. The first returns when
// it came, for the second: at `met`, or now if that is 0.
TEFF_APART inline base::Ticks barrier_begins(team::Worker& worker, BarrierKind kind, base::CallSite site,
                                             base::Ticks met) {
    if (observed(worker)) ompt::barrier_begins(worker, kind, site);
    const base::Ticks now = met != 0 ? met : base::ticks();
    if (counted(worker)) stat::barrier_begins(worker, kind, now);
    return now;
}

TEFF_APART inline void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site, base::Ticks began,
                                    std::uint32_t ordinal) {
    if (counted(worker)) stat::barrier_ends(worker);
    if (traced(worker)) trace::barrier_ends(worker, kind, site, began, ordinal);
    if (observed(worker)) ompt::barrier_ends(worker, kind, site);
}

// The current task has asked for a cancellation, of a CancelKind, or has found that there
// was one.
TEFF_APART inline void cancels(team::Worker& worker, int kind, base::CallSite site) {
    if (observed(worker)) ompt::cancellation(worker, kind, true, site);
}

TEFF_APART inline void cancellation_seen(team::Worker& worker, int kind, base::CallSite site) {
    if (observed(worker)) ompt::cancellation(worker, kind, false, site);
}

} // namespace teff::region::events
