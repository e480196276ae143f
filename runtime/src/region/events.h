// SPDX-License-Identifier: Apache-2.0
//
// The events that regions, implicit tasks and barriers report to the probes. The functions are
// called only while a probe is on (Worker::probes is not 0), by the worker's own thread. Each
// function reports to every sink that is on; the code for each sink is in events_trace.cpp,
// events_ompt.cpp and events_stat.cpp. The functions only report: they wake no thread, wait for no
// thread, run no code of the program, and return only times and ids (scripts/check_sinks.py). The
// only exceptions are tool_may_leave and exit_frame, which answer questions.
#pragma once

#include "base/clock.h"
#include "region/region.h"
#include "task/events_fragments.h"
#include "task/task.h"
#include "team/probes.h"

namespace teff::region::events {

// A tool's records of a league and its teams. Defined by the sink.
struct LeagueRecords;

// The sinks' halves: trace (events_trace.cpp) appends records to the worker's stream, ompt
// (events_ompt.cpp) tells the tool, stat (events_stat.cpp) updates the counters. Each function is
// called only while its sink is on.
namespace trace {
void region_begins(team::Worker& leader, team::Team& team, const Construct& construct, unsigned requested,
                   base::Ticks met);
void member_begins(team::Worker& worker, const team::Team& team);
void member_joins(team::Worker& worker, const team::Team& team, base::Ticks began);
void region_ends(team::Worker& leader, const team::Team& team, base::Ticks joined);
void leader_waited(team::Worker& leader, const team::Team& team, base::Ticks joined, base::Ticks ended);
void region_left(team::Worker& leader, std::uint64_t region_id);
void initial_task_begins(team::Worker& worker);
void initial_task_ends(team::Worker& worker);
void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site, base::Ticks began, base::Ticks ended,
                  std::uint32_t ordinal);
void team_size_asked(team::Worker& worker);

// The initial task of a target region. If the target construct was deferred, its target task has a
// record already; the target task and the initial task in it count as one task.
void included_target_begins(team::Worker& worker, const task::Task& outer, base::CallSite site);
void included_target_ends(team::Worker& worker, base::Ticks began);
void deferred_target_begins(team::Worker& worker, const task::Task& target_task);
} // namespace trace

namespace ompt {
void region_begins(team::Worker& leader, team::Team& team, const Construct& construct);
void member_begins(team::Worker& worker, team::Team& team);
void body_begins(team::Worker& worker, void* frame);
void body_ends(team::Worker& worker);
void program_begins_body(team::Worker& worker, base::CallSite site);
void** exit_frame(const team::Worker& worker);
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

// The interface for the runtime.

// Called when the leader has met the construct. Returns the current time.
TEFF_APART inline base::Ticks construct_met(team::Worker& leader) {
    task::events::fragment_ends(leader);
    return base::ticks();
}

TEFF_APART inline void region_begins(team::Worker& leader, team::Team& team, const Construct& construct,
                                     unsigned requested, base::Ticks met) {
    team.recording.site = construct.site.code();
    if (traced(leader)) trace::region_begins(leader, team, construct, requested, met);
    if (observed(leader)) ompt::region_begins(leader, team, construct);
    if (counted(leader)) stat::region_begins(leader, met);
}

// Reports that a member's implicit task begins, before the task calls the construct's body. Returns
// the task's start time, for member_joins.
TEFF_APART inline base::Ticks member_begins(team::Worker& worker, team::Team& team) {
    // If the tool gets no events of the leader, the leader has made no records. In that case the
    // tool has ended, and the leader began after this worker.
    if (observed(worker) && TEFF_UNLIKELY(team.tool.encountering_record == nullptr)) team::leave_tool(worker);
    if (observed(worker)) ompt::member_begins(worker, team);
    if (traced(worker)) trace::member_begins(worker, team);
    const base::Ticks now = base::ticks(); // read last, so that the recorder's work does not count as the task's
    if (counted(worker)) stat::member_begins(worker, now);
    task::events::fragment_begins(worker);
    return now;
}

TEFF_APART inline void call_body_probed(team::Worker& worker, team::RegionBody body) {
    if (observed(worker)) ompt::body_begins(worker, __builtin_frame_address(0));
    body.function(body.data);
    team::Worker& after = team::current_worker(); // the body may have switched contexts
    if (observed(after)) ompt::body_ends(after);  // this call also keeps this frame alive until here
}

inline void call_body(team::Worker& worker, team::RegionBody body) {
    if (TEFF_UNLIKELY(worker.probes != 0)) call_body_probed(worker, body);
    else body.function(body.data);
}

// Reports that the program itself calls the code of the worker's current task, after it has called
// the runtime at `site`.
TEFF_APART inline void program_begins_body(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::program_begins_body(worker, site);
}

// If another frame than call_body's is about to call the code of the worker's current task: returns
// where the caller stores that frame's frame pointer, or null if no sink wants it.
TEFF_APART inline void** exit_frame(const team::Worker& worker) {
    return observed(worker) ? ompt::exit_frame(worker) : nullptr;
}

// omp_get_num_threads was called.
TEFF_APART inline void team_size_asked(team::Worker& worker) {
    if (traced(worker)) trace::team_size_asked(worker);
}

// Reports that a target region begins and ends on this thread. `included`: the region runs in the
// task that met the construct; otherwise it runs as the current task, which was deferred.
TEFF_APART inline void target_begins(team::Worker& worker, bool included, base::CallSite site) {
    if (observed(worker)) ompt::target_begins(worker, included, site);
}

TEFF_APART inline void target_ends(team::Worker& worker) {
    if (observed(worker)) ompt::target_ends(worker);
    task::events::fragment_begins(worker);
}

// Reports the initial task of a target region. `outer` is the task that met the construct, or the
// task that was deferred for it. The first function returns the initial task's start time, for the
// second.
TEFF_APART inline base::Ticks target_task_begins(team::Worker& worker, TargetTask kind, const task::Task& outer,
                                                 base::CallSite site) {
    if (observed(worker)) ompt::target_task_begins(worker);
    if (traced(worker)) {
        if (kind == TargetTask::kIncluded) trace::included_target_begins(worker, outer, site);
        else trace::deferred_target_begins(worker, outer);
    }
    task::events::fragment_begins(worker);
    return base::ticks();
}

TEFF_APART inline void target_task_ends(team::Worker& worker, TargetTask kind, base::Ticks began) {
    task::events::fragment_ends(worker);
    if (traced(worker) && kind == TargetTask::kIncluded) trace::included_target_ends(worker, began);
    if (observed(worker)) ompt::target_task_ends(worker);
}

// Report that a league begins and ends, and that each of its teams begins and ends. The team is the
// current League::number. To a tool, each team is an initial task of its own. league_begins returns
// the records that the other functions need, or null if there is no tool.
TEFF_APART inline LeagueRecords* league_begins(team::Worker& worker, const League& league, base::CallSite site) {
    return observed(worker) ? &ompt::league_begins(worker, league, site) : nullptr;
}

TEFF_APART inline void league_ends(team::Worker& worker, LeagueRecords* records, base::CallSite site) {
    if (observed(worker)) ompt::league_ends(worker, *records, site); // otherwise this is a forked child
}

TEFF_APART inline void team_begins(team::Worker& worker, LeagueRecords* records, const League& league) {
    if (observed(worker)) ompt::team_begins(worker, *records, league);
}

TEFF_APART inline void team_ends(team::Worker& worker, const League& league) {
    if (observed(worker)) ompt::team_ends(worker, league);
}

// Reports that a worker's body is over; from here on the worker waits for the other members. With a
// tool, member_released follows when the region has ended (tool_notices.h).
TEFF_APART inline void member_joins(team::Worker& worker, team::Team& team, base::Ticks began) {
    task::events::fragment_ends(worker);
    if (counted(worker)) stat::member_joins(worker, base::ticks());
    if (traced(worker)) trace::member_joins(worker, team, began);
    if (observed(worker)) ompt::member_joins(worker, team);
}

TEFF_APART inline void member_released(team::Worker& worker) { ompt::member_released(worker); }

// Reports that the leader's body is over; from here on the leader waits for the other members.
// Returns the current time, for region_ends.
TEFF_APART inline base::Ticks leader_joins(team::Worker& leader, team::Team& team) {
    task::events::fragment_ends(leader);
    if (observed(leader)) ompt::member_joins(leader, team);
    const base::Ticks now = base::ticks();
    if (counted(leader)) stat::member_joins(leader, now);
    return now;
}

// Report the region's end, when all members have joined and no task is left. Immediately after
// region_left the task that met the construct continues. The leader's work between the two calls is
// not part of that task's work.
TEFF_APART inline void region_ends(team::Worker& leader, team::Team& team, base::Ticks joined) {
    if (counted(leader)) stat::region_ends(leader);
    if (traced(leader)) trace::region_ends(leader, team, joined);
    else if (const base::Ticks ended = team::end_of_cut_wait(leader, joined))
        trace::leader_waited(leader, team, joined, ended);
    if (observed(leader)) ompt::region_ends(leader, team);
}

TEFF_APART inline void region_left(team::Worker& leader, std::uint64_t region_id) {
    if (traced(leader)) trace::region_left(leader, region_id);
    if (counted(leader)) stat::region_left(leader);
    task::events::fragment_begins(leader);
}

// Reports the initial task of a thread that the program has started.
TEFF_APART inline void initial_task_begins(team::Worker& worker) {
    if (observed(worker)) ompt::initial_task_begins(worker);
    if (traced(worker)) trace::initial_task_begins(worker);
    if (counted(worker)) stat::initial_task_begins(worker);
    task::events::fragment_begins(worker);
}

TEFF_APART inline bool in_initial_task(const team::Worker& worker) {
    const team::Team& team = *worker.member->team;
    return worker.member != &team::nowhere && team.level == 0 && team.place_left == nullptr &&
           (worker.task->flags & task::kImplicit) != 0;
}

// Returns false if the thread ends while it is not in its initial task, so that the initial task
// remains unfinished.
[[nodiscard]] TEFF_APART inline bool initial_task_ends(team::Worker& worker) {
    if (!in_initial_task(worker)) return false;
    task::events::fragment_ends(worker);
    if (traced(worker)) trace::initial_task_ends(worker);
    if (observed(worker)) ompt::initial_task_ends(worker);
    return true;
}

// Returns true if the calling thread, which the tool observes, is in the program's own code of its
// initial task. Only then can the tool be told that the thread and the task have ended.
TEFF_APART inline bool tool_may_leave(const team::Worker& worker) {
    return in_initial_task(worker) && observed(worker) && ompt::tool_may_leave(worker);
}

TEFF_APART inline void tool_leaves(team::Worker& worker) { ompt::tool_leaves(worker); }

// Report that a member meets a barrier, and leaves it; the barrier is number `ordinal` in this
// region. barrier_begins returns the time of the member's arrival, for barrier_ends: `met`, or the
// current time if `met` is 0.
TEFF_APART inline base::Ticks barrier_begins(team::Worker& worker, BarrierKind kind, base::CallSite site,
                                             base::Ticks met) {
    task::events::fragment_ends(worker);
    if (observed(worker)) ompt::barrier_begins(worker, kind, site);
    const base::Ticks now = met != 0 ? met : base::ticks();
    if (counted(worker)) stat::barrier_begins(worker, kind, now);
    return now;
}

TEFF_APART inline void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site, base::Ticks began,
                                    std::uint32_t ordinal) {
    if (counted(worker)) stat::barrier_ends(worker);
    if (const base::Ticks ended = team::recorded_until(worker, began))
        trace::barrier_ends(worker, kind, site, began, ended, ordinal);
    if (observed(worker)) ompt::barrier_ends(worker, kind, site);
    task::events::fragment_begins(worker);
}

// Report that the current task has asked for a cancellation (cancels), or has found that another
// task asked for it (cancellation_seen). `kind` is a CancelKind.
TEFF_APART inline void cancels(team::Worker& worker, int kind, base::CallSite site) {
    if (observed(worker)) ompt::cancellation(worker, kind, true, site);
}

TEFF_APART inline void cancellation_seen(team::Worker& worker, int kind, base::CallSite site) {
    if (observed(worker)) ompt::cancellation(worker, kind, false, site);
}

} // namespace teff::region::events
