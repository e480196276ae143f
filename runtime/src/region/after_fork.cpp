// SPDX-License-Identifier: Apache-2.0
#include "region/after_fork.h"

#include "region/adopt.h"
#include "region/contention_group.h"
#include "region/join.h"
#include "region/linger.h"
#include "region/team_growth.h"
#include "region/team_setup.h"

namespace teff::region {

namespace {

// Only the member that has this place is left. Others that come later get new records: what state the old ones are in, nobody knows.
void keep_only(team::Team& team, team::Member& place) {
    team.ready.forget_other_threads(place.lane, team.capacity);
    team.members[0] = &place;
    team.lanes[0] = &place.lane;
    team.sleeper_bits[0].store(0, std::memory_order_relaxed);
    place.number = place.lane.number = 0;
    team.capacity = team.manned = team.size = 1;
    team.ready.attach(team.lanes, team.sleeper_bits, 1);
    team.ready.resize(1);
}

// The calling thread is in the middle of this team's region.
void orphan(team::Team& team, team::Member& place, team::Worker& worker) {
    const bool had_others = team.size > 1;
    keep_only(team, place);
    if (!had_others) return;
    team.orphaned = true;
    team.leader = &worker;
    // What the others counted is missing in the sums, which could agree too early. With a task that never ends in them they never do.
    place.created.store(1, std::memory_order_relaxed);
    place.finished.store(0, std::memory_order_relaxed);
    team.finished_elsewhere.store(0, std::memory_order_relaxed);
    team.arrived.store(0, std::memory_order_relaxed);
    team.joined.store(0, std::memory_order_relaxed);
}

// A team that the thread leads, but not now.
void unman(team::Team& team) {
    keep_only(team, *team.members[0]);
    reset_counts(team);
}

} // namespace

void forget_other_threads(team::Worker* worker) {
    forget_other_threads_teams();
    forget_other_threads_at_work();
    forget_other_adopted_threads(worker != nullptr);
    if (worker == nullptr || worker->member == &team::nowhere) return;
    worker->ends = {}; // whoever waited for them is gone
    if (worker->member->inner != nullptr) unman(*worker->member->inner);
    // From the innermost team outwards, as far as the thread is the leader: what is around that belongs to threads that are gone.
    for (team::Member* place = worker->member; place != nullptr;) {
        team::Team& team = *place->team;
        const bool leads = place->number == 0;
        orphan(team, *place, *worker);
        if (!leads) {
            go_home_after_this(*worker);
            forget_other_adopted_threads(false);
        }
        place = leads ? team.leader_place : nullptr;
    }
    initial_team(*worker->member).group_extra.store(0, std::memory_order_relaxed);
    remember_team(*worker, *worker->member->team);
}

} // namespace teff::region
