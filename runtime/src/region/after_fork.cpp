// SPDX-License-Identifier: Apache-2.0
#include "region/after_fork.h"

#include "region/contention_group.h"
#include "region/linger.h"
#include "region/region.h"
#include "region/team_growth.h"
#include "region/team_setup.h"
#include "task/ends.h"
#include "team/contexts.h"

namespace teff::region {

namespace {

// Only the member that has this place is left. Others that come later get new records: what state
// the old ones are in, nobody knows.
void keep_only(team::Team& team, team::Member& place) {
    team.ready.forget_other_threads(place.lane, team.capacity);
    team.members[0] = &place;
    team.lanes[0] = &place.lane;
    team.sleeper_bits[0].store(0, std::memory_order_relaxed);
    place.number = place.lane.number = 0;
    team.capacity = team.staffed = team.size = 1;
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
    // What the others counted is missing in the sums, which could agree too early. With more tasks
    // than will ever end in them they never do: those that are queued now will add to `finished`.
    constexpr std::uint64_t kMoreThanWillEnd = std::uint64_t{1} << 62;
    place.created.store(kMoreThanWillEnd, std::memory_order_relaxed);
    place.finished.store(0, std::memory_order_relaxed);
    team.finished_elsewhere.store(0, std::memory_order_relaxed);
    team.arrived.store(0, std::memory_order_relaxed);
    reset_groups(team);
    team.joined.store(0, std::memory_order_relaxed);
}

// Teams that the thread leads, each in the one before, but not now.
void unman(team::Team* team) {
    for (; team != nullptr; team = team->members[0]->inner) {
        keep_only(*team, *team->members[0]);
        reset_counts(*team);
    }
}

// The thread is in the middle of this place's team; further in, it is in the team `inside`, if that
// is not null.
void keep_place(team::Worker& worker, team::Member& place, const team::Team* inside) {
    if (place.inner != inside) unman(place.inner);
    initial_team(place).group_extra.store(0, std::memory_order_relaxed);
    if (place.number != 0) retire_after_this(worker);
    orphan(*place.team, place, worker);
}

} // namespace

void forget_other_threads(team::Worker* worker) {
    forget_other_threads_teams();
    forget_other_threads_at_work();
    team::forget_other_threads_contexts(worker);
    if (worker == nullptr || worker->member == &team::nowhere) return;
    task::pass_on_ends_if_any(*worker); // whoever is left may wait for them
    // From the innermost team outwards, as far as the thread is the leader: what is around that
    // belongs to threads that are gone.
    const team::Team* inside = nullptr;
    for (team::Member* place = worker->member; place != nullptr;) {
        team::Member* around = team::place_around(*place);
        keep_place(*worker, *place, inside);
        inside = place->team;
        place = around;
    }
    remember_team(*worker, *worker->member->team);
}

} // namespace teff::region
