// SPDX-License-Identifier: Apache-2.0
//
// Fork and join: the code that every region runs.
#include "idle/limits.h"
#include "probe/trace/window.h"
#include "region/binding.h"
#include "region/contention_group.h"
#include "region/events.h"
#include "region/linger.h"
#include "region/recording_window.h"
#include "region/region.h"
#include "region/team_growth.h"
#include "region/team_protocol.h"
#include "region/team_setup.h"
#include "region/tool_notices.h"
#include "task/icvs.h"
#include "task/taskgroup.h"
#include "task/waiting.h"

namespace teff::region {

namespace {

// The number of the process's threads that take part in regions, without one for the leader of each
// outermost region.
std::atomic<unsigned> threads_at_work{0};

// Called when the region in which the process was forked ends: from here on the team is like any
// other.
TEFF_COLD void be_adopted(team::Team& team) {
    team.orphaned = false;
    reset_counts(team);
}

// Does not store if there is nothing to reset, so that the cache line may stay with its readers.
template <class Value> void reset(std::atomic<Value>& value) {
    if (value.load(std::memory_order_relaxed) != Value{}) value.store(Value{}, std::memory_order_relaxed);
}

// After a cancelled region, members may have left a barrier before all had arrived.
TEFF_COLD void forget_cancellation(team::Team& team) {
    team.cancelled.store(false, std::memory_order_relaxed);
    reset_groups(team);
}

// As in libgomp, the policy of a proc_bind clause also applies to nested regions, unless the
// environment names a policy for their level.
TEFF_COLD const icv::TaskIcvs* make_inner_icvs(team::Team& team, const icv::TaskIcvs& outer,
                                               const Construct& construct) {
    icv::TaskIcvs icvs = outer;
    icvs.bind = region_policy(outer.bind, construct.proc_bind);
    team.inner_icvs = icv::inner(icvs);
    return &team.inner_icvs;
}

const icv::TaskIcvs* icvs_for(team::Team& team, const icv::TaskIcvs& outer, const Construct& construct) {
    const bool others = construct.proc_bind != 0 || icv::inner_differs(outer);
    return TEFF_UNLIKELY(others) ? make_inner_icvs(team, outer, construct) : &outer;
}

void set_up(team::Team& team, team::Worker& leader, const Construct& construct) {
    team::Member& place = *leader.member;
    const team::Team& outer = *place.team;
    team.leader_place = &place;
    team.initial = outer.initial;
    team.creating_task = leader.task;
    team.creating_task_id = leader.task->id;
    team.level = outer.level + 1;
    team.active_level = outer.active_level + (team.size > 1);
    team.body = construct.body;
    const icv::TaskIcvs& icvs = *leader.task->icvs;
    team.icvs = icvs_for(team, icvs, construct);
    arrange(team, icvs.bind, construct.proc_bind);
    ++team.region_serial;
    team.generation.fetch_add(1, std::memory_order_release); // [phase-1]
    if (TEFF_UNLIKELY(team.cancelled.load(std::memory_order_relaxed))) forget_cancellation(team);
    reset(team.cancelled_position);
    reset(team.arrived);
    reset(team.joined);
    reset(team.singles);
    team.reductions = nullptr;
    const unsigned at_work = threads_at_work.fetch_add(team.size - 1, std::memory_order_relaxed) + team.size;
    team.recorded = team::traced(leader);
    team.may_spin = idle::may_spin(at_work) && team.size <= team.processors && !team.crowds_places;
}

TEFF_COLD base::Ticks begin_probed(team::Worker& worker, team::Team& team) {
    const base::Ticks began = events::member_begins(worker, team);
    will_notify_tool(worker, team);
    return began;
}

} // namespace

void forget_other_threads_at_work() { threads_at_work.store(0, std::memory_order_relaxed); }

unsigned begin(team::Worker& worker, const Construct& construct) {
    if (TEFF_UNLIKELY(probe::trace::window::may_move()))
        follow_window(worker, code_of(construct), threads_at_work.load(std::memory_order_relaxed) != 0);
    const base::Ticks met = TEFF_UNLIKELY(worker.probes != 0) ? events::construct_met(worker) : 0;
    team::Member& place = *worker.member;
    const icv::TaskIcvs& icvs = *worker.task->icvs;
    const unsigned wanted = resolve_team_size(*place.team, icvs, construct);
    const unsigned granted = join_group(place, icvs.thread_limit, wanted);
    team::Team& team = team_of_size(worker, place, granted);
    if (TEFF_UNLIKELY(team.size != granted)) leave_group(place, icvs.thread_limit, granted - team.size);
    set_up(team, worker, construct);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::region_begins(worker, team, construct, wanted, met);
    if (construct.prepare != nullptr) construct.prepare(team, construct.prepare_argument);
    for (unsigned i = 1; i < team.size; ++i)
        give_place(*team.members[i]->worker, *team.members[i]);
    team::Member& own = *team.members[0];
    worker.member = &own;
    begin_implicit_task(worker, own, *team.icvs, team.reductions);
    if (TEFF_UNLIKELY(worker.probes != 0)) {
        team.recording.leader_started = events::member_begins(worker, team);
        if (construct.program_calls_body) events::program_begins_body(worker, construct.site);
    }
    return team.size;
}

void end(team::Worker& worker) {
    team::Team& team = *worker.member->team;
    const base::Ticks joined = TEFF_UNLIKELY(worker.probes != 0) ? events::leader_joins(worker, team) : 0;
    const AllJoined<team::Team> all_joined{team};
    if (!all_joined.over()) task::wait_outside(worker, all_joined);
    if (TEFF_UNLIKELY(team.orphaned)) be_adopted(team);
    reset(team.has_tasks); // then lingering members need no fence before they sleep
    const std::uint64_t region_id = team.recording.region_id;
    if (TEFF_UNLIKELY((worker.probes | joined) != 0)) {
        release_members(worker, team);
        events::region_ends(worker, team, joined);
    }
    end_implicit_task(worker, *worker.task);
    threads_at_work.fetch_sub(team.size - 1, std::memory_order_relaxed);
    if (team.reductions != nullptr) task::give_back_taskgroup(worker, team.reductions);
    worker.member = team.leader_place;
    leave_group(*worker.member, team.icvs->thread_limit, team.size - 1);
    worker.task = team.creating_task;
    remember_team(worker, *worker.member->team);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::region_left(worker, region_id);
}

unsigned run(team::Worker& worker, const Construct& construct) {
    const unsigned size = begin(worker, construct);
    events::call_body(worker, construct.body);
    end(team::current_worker());
    return size;
}

void take_part(team::Worker& worker, team::Member& place) {
    team::Team& team = *place.team;
    worker.member = &place;
    if (TEFF_UNLIKELY(team.recorded != team::traced(worker))) follow_leader(worker, team);
    begin_implicit_task(worker, place, *team.icvs, team.reductions);
    const base::Ticks began = TEFF_UNLIKELY(worker.probes != 0) ? begin_probed(worker, team) : 0;
    events::call_body(worker, team.body);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::member_joins(worker, team, began);
    end_implicit_task(worker, *worker.task);
    join(worker, team);
}

} // namespace teff::region
