// SPDX-License-Identifier: Apache-2.0
//
// What regions, implicit tasks and barriers report to the probes. Called only while one is on
// (Worker::probes is not 0), by the worker's own thread. Each function serves every sink that is
// on; the sinks' own halves are in events_trace.cpp and events_ompt.cpp. They only tell: they wake
// nobody, wait for nobody, run no code of the program, and return nothing but times and ids
// (scripts/check_sinks.py); tool_may_leave alone answers a question.
#pragma once

#include "base/clock.h"
#include "probe/ompt/records.h"
#include "region/region.h"

namespace teff::region::events {

// The leader has set the team up, and no member has begun.
void region_begins(team::Worker& leader, team::Team& team, const Construct& construct, unsigned requested);

// A member's implicit task begins, and calls the construct's body. Returns when it began, for
// member_joins.
base::Ticks member_begins(team::Worker& worker, team::Team& team);
void call_body_probed(team::Worker& worker, team::RegionBody body);
inline void call_body(team::Worker& worker, team::RegionBody body) {
    if (TEFF_UNLIKELY(worker.probes != 0)) call_body_probed(worker, body);
    else body.function(body.data);
}

// A target region begins and ends on this thread: `included` in the task that met the construct, or
// as the current task, which was deferred.
void target_begins(team::Worker& worker, bool included, base::CallSite site);
void target_ends(team::Worker& worker);
// The initial task in it; `outer` met the construct, or was deferred for it.
base::Ticks target_task_begins(team::Worker& worker, TargetTask kind, const task::Task& outer, base::CallSite site);
void target_task_ends(team::Worker& worker, TargetTask kind, base::Ticks began);

// A league begins and ends; so does each of its teams, League::number as it is then: an initial
// task of its own, to a tool. What a tool keeps of them is the caller's, and stays until the league
// has ended.
struct LeagueRecords {
    probe::ompt::ParallelRecord league;
    probe::ompt::TaskRecord team;
};
void league_begins(team::Worker& worker, LeagueRecords& records, const League& league, base::CallSite site);
void league_ends(team::Worker& worker, LeagueRecords& records, base::CallSite site);
void team_begins(team::Worker& worker, LeagueRecords& records, const League& league);
void team_ends(team::Worker& worker, const League& league);

// A worker's body is over; it waits for the others from here on. Later, with a tool, the region has
// ended (tool_notices.h).
void member_joins(team::Worker& worker, team::Team& team, base::Ticks began);
void member_released(team::Worker& worker);

// The leader's body is over; it waits for the others from here on. Returns when, for region_ends.
base::Ticks leader_joins(team::Worker& leader, team::Team& team);
// All have joined, and no task is left.
void region_ends(team::Worker& leader, team::Team& team, base::Ticks joined);

// The initial task of a thread that the program has started.
void initial_task_begins(team::Worker& worker);
bool in_initial_task(const team::Worker& worker);
// False: the thread ends in the middle of something else, and so leaves its initial task
// unfinished.
[[nodiscard]] bool initial_task_ends(team::Worker& worker);

// Is the calling thread, a tool's thread, in the program's own code of its initial task? Then the
// tool can be told that both are over.
bool tool_may_leave(const team::Worker& worker);
void tool_leaves(team::Worker& worker);

// A member meets a barrier, its `ordinal`th in this region, and leaves it. The first returns when
// it came, for the second.
base::Ticks barrier_begins(team::Worker& worker, BarrierKind kind, base::CallSite site);
void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site, base::Ticks began,
                  std::uint32_t ordinal);

// The current task has asked for a cancellation, of a CancelKind, or has found that there
// was one.
void cancels(team::Worker& worker, int kind, base::CallSite site);
void cancellation_seen(team::Worker& worker, int kind, base::CallSite site);

} // namespace teff::region::events
