// SPDX-License-Identifier: Apache-2.0
#include "region/team_setup.h"

#include <algorithm>

#include "region/adopt.h"
#include "region/binding.h"
#include "region/contention_group.h"
#include "region/linger.h"
#include "region/team_growth.h"
#include "task/constraint.h"
#include "task/icvs.h"
#include "task/run.h"
#include "team/pool.h"
#include "topo/processors.h"

namespace teff::region {

namespace {

void disband_inner(team::Worker& leader, team::Member& member);

// Sends all members except the leader back to the pool, including the members of the teams that
// they lead.
void disband(team::Worker& leader, team::Team& team) {
    dismiss(leader, team);
    for (unsigned i = 0; i < team.capacity; ++i) {
        team::Member& member = *team.members[i];
        disband_inner(leader, member);
        if (i > 0 && member.worker != nullptr) team::give_back_pool_worker(*member.worker);
        member.worker = nullptr;
    }
    team.staffed = 1;
    team.size = 1;
}

// Puts the team that the member leads, if any, into the list of spare teams.
void disband_inner(team::Worker& leader, team::Member& member) {
    if (member.inner == nullptr) return;
    disband(leader, *member.inner);
    keep_team(*member.inner);
    member.inner = nullptr;
}

} // namespace

unsigned resolve_team_size(const team::Team& outer, const icv::TaskIcvs& icvs, const Construct& construct) {
    if (construct.num_threads == 1 || outer.active_level >= icvs.max_active_levels) return 1;
    unsigned size = construct.num_threads != 0 ? construct.num_threads : icvs.nthreads;
    if (icvs.dyn) {
        size = std::min(size, static_cast<unsigned>(topo::usable_processors()));
        if (construct.sections != 0) size = std::min(size, construct.sections);
    }
    return std::max(1u, size);
}

team::Team& team_of_size(team::Worker& leader, team::Member& place, unsigned size) {
    if (place.inner == nullptr) {
        place.inner = &take_team(size);
        place.inner->size = 1;
    }
    team::Team& team = *place.inner;
    if (TEFF_UNLIKELY(team.staffed < size)) {
        grow(leader, team, size);
        size = team.staffed;
    }
    if (TEFF_UNLIKELY(team.size != size)) reset_counts(team);
    team.size = size;
    team.ready.resize(size);
    team::Member& own = *team.members[0];
    own.worker = team.leader = &leader;
    own.lane.parker.store(&leader.parker, std::memory_order_relaxed);
    return team;
}

void enter_root_team(team::Worker& worker, team::Member* place_left) {
    team::Team& root = take_team(1);
    root.size = 1;
    root.staffed = 1;
    root.level = root.active_level = 0;
    root.group_extra.store(0, std::memory_order_relaxed);
    root.leader_place = nullptr;
    root.initial = &root;
    root.place_left = place_left;
    root.creating_task = nullptr;
    root.creating_task_id = 0;
    ++root.region_serial; // its work-sharing constructs differ from those of the team's previous leader
    root.arrived.store(0, std::memory_order_relaxed); // the previous leader may have left the team
                                                      // in a cancelled region
    root.cancelled.store(false, std::memory_order_relaxed);
    root.cancelled_position.store(0, std::memory_order_relaxed);
    root.ready.resize(1);
    team::Member& member = *root.members[0];
    member.worker = root.leader = &worker;
    member.lane.parker.store(&worker.parker, std::memory_order_relaxed);
    worker.member = &member;
    begin_implicit_task(worker, member, icv::initial(), nullptr);
}

void leave_root_team(team::Worker& worker) {
    team::Member& place = *worker.member;
    task::Task& task = *place.implicit_task;
    const bool over = task.children_ended();
    if (over) end_implicit_task(worker, task);
    disband(worker, *place.team);
    if (over)
        keep_team(*place.team); // otherwise the event of a detached task is still pending,
                                // and its fulfiller must find this team
}

void release_threads(team::Worker& worker) {
    disband_inner(worker, *worker.member);
    release_idle_threads(nullptr);
}

void release_idle_threads(const team::Worker* initial) {
    while (team::Worker* idle = team::take_idle_worker(initial))
        retire(*idle);
}

void begin_implicit_task(team::Worker& worker, team::Member& member, const icv::TaskIcvs& icvs,
                         task::Taskgroup* group) {
    team::Team& team = *member.team;
    task::Task& task = *member.implicit_task;
    task.id = worker.task_ids.next();
    task.parent = nullptr;
    task.parent_id = team.creating_task_id;
    task.depth = 0;
    task.group = group;
    task.flags = task::kImplicit;
    task.icvs = &icvs;
    sched::Scheduler::enter(member.lane);
    member.loop = {};
    member.barriers = 0;
    member.deferral = team::Deferral::kNot;
    worker.task = &task;
    worker.in_place = 0;
    bind_member(worker, member);
    remember_team(worker, team);
}

void end_implicit_task(team::Worker& worker, task::Task& task) {
    if (TEFF_UNLIKELY(worker.member->tied != nullptr)) task::forget_tied(worker);
    if (task.has_dependent_children()) task::free_depend_table(worker, task);
    if (TEFF_UNLIKELY((task.flags & task::kOwnIcvs) != 0)) task::give_back_icvs(worker, task);
}

void remember_team(team::Worker& worker, const team::Team& team) {
    worker.may_spin = team.may_spin;
    worker.team_size = team.size;
    worker.leader = team.leader;
}

} // namespace teff::region
