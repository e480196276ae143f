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

// Keeps only the member that has this place. Members that join later get new records, because the
// state of the old ones is unknown.
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

// Makes the team an orphaned one: the calling thread was in the middle of its region at the fork.
void orphan(team::Team& team, team::Member& place, team::Worker& worker) {
    const bool had_others = team.size > 1;
    keep_only(team, place);
    if (!had_others) return;
    team.orphaned = true;
    team.leader = &worker;
    // The counts of the other members are missing in the sums, so the sums could agree too early.
    // If `created` exceeds the number of tasks that can ever end, they never agree, although tasks
    // that are queued now will add to `finished`.
    constexpr std::uint64_t kMoreThanWillEnd = std::uint64_t{1} << 62;
    place.created.store(kMoreThanWillEnd, std::memory_order_relaxed);
    place.finished.store(0, std::memory_order_relaxed);
    team.finished_elsewhere.store(0, std::memory_order_relaxed);
    team.arrived.store(0, std::memory_order_relaxed);
    reset_groups(team);
    team.joined.store(0, std::memory_order_relaxed);
}

// Resets the teams that the thread leads but is not in at the moment; each is nested in the one
// before.
void unman(team::Team* team) {
    for (; team != nullptr; team = team->members[0]->inner) {
        keep_only(*team, *team->members[0]);
        reset_counts(*team);
    }
}

// Handles a team around the thread: the thread is in the middle of this place's team. Further
// inside, it is in the team `inside`, unless that is null.
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
    task::pass_on_ends_if_any(*worker); // the remaining thread may wait for these ends
    // Goes from the innermost team outwards as far as the thread is the leader. Teams further out
    // belong to threads that no longer exist.
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
