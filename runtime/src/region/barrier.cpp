// SPDX-License-Identifier: Apache-2.0
//
// The barrier of a team, and the cancellation of a region, which ends the waits at the barrier.
#include "region/events.h"
#include "region/region.h"
#include "region/team_protocol.h"
#include "task/cancelled.h"
#include "task/waiting.h"

namespace teff::region {

namespace {

using Central = BarrierOpen<base::RealAtomics, team::Team>;
using Combining = BarrierOpen<base::RealAtomics, team::Team, CombiningWay<base::RealAtomics, team::Team>>;

// Separate from the arrival, so that the last member, which opens the barrier, does not pay for a
// wait.
TEFF_APART void wait_for_others(team::Worker& worker, std::uint32_t phase, bool cancellable) {
    task::wait_outside(worker, Central{{*worker.member->team}, phase, cancellable});
}

TEFF_APART void arrive_and_wait_in_groups(team::Worker& worker, std::uint32_t phase, bool cancellable) {
    const team::Member& place = *worker.member;
    Combining open{{*place.team, place.number}, phase, cancellable};
    if (!open.arrive()) task::wait_outside(worker, open);
}

[[gnu::always_inline]] inline void arrive_and_wait(team::Worker& worker, bool cancellable) {
    team::Team& team = *worker.member->team;
    // A member that is alone neither waits nor notifies, if there are no tasks.
    if (team.size == 1 && !team.has_tasks.load(std::memory_order_relaxed)) return;
    const std::uint32_t phase = team.generation.load(std::memory_order_relaxed); // constant until this member arrives
    if (TEFF_UNLIKELY(team.combines)) return arrive_and_wait_in_groups(worker, phase, cancellable);
    Central open{{team}, phase, cancellable};
    if (!open.arrive()) wait_for_others(worker, phase, cancellable);
}

TEFF_APART void meet_probed(team::Worker& worker, BarrierKind kind, bool cancellable, base::CallSite site,
                            base::Ticks met) {
    const std::uint32_t ordinal = worker.member->barriers;
    const base::Ticks began = events::barrier_begins(worker, kind, site, met);
    arrive_and_wait(worker, cancellable);
    events::barrier_ends(worker, kind, site, began, ordinal);
}

bool region_cancelled(const team::Worker& worker) {
    return worker.member->team->cancelled.load(std::memory_order_relaxed);
}

void cancel_group(task::Taskgroup* group) {
    if (group != nullptr && group->for_worksharing && group->outer != nullptr) group = group->outer;
    if (group != nullptr) group->cancelled.store(true, std::memory_order_relaxed);
}

} // namespace

bool barrier(team::Worker& worker, BarrierKind kind, bool cancellable, base::CallSite site, base::Ticks met) {
    if (cancellable && region_cancelled(worker)) return true;
    ++worker.member->barriers;
    if (TEFF_UNLIKELY(worker.probes != 0)) {
        meet_probed(worker, kind, cancellable, site, met);
    } else {
        arrive_and_wait(worker, cancellable);
        if (TEFF_UNLIKELY(worker.probes != 0)) events::barrier_ends(worker, kind, site, 0, worker.member->barriers);
    }
    if (!cancellable) return false;
    return region_cancelled(worker);
}

bool is_cancelled(const team::Worker& worker, int kind) {
    if ((kind & kCancelTaskgroup) != 0 && task::group_cancelled(worker.task->group)) return true;
    return region_cancelled(worker); // this also cancels the region's explicit tasks
}

void cancel(team::Worker& worker, int kind) {
    if ((kind & kCancelTaskgroup) != 0) return cancel_group(worker.task->group);
    team::Team& team = *worker.member->team;
    team.cancelled.store(true, std::memory_order_seq_cst); // [cancel-1]
    team.ready.wake_all(TEFF_WAKE_TEAM);                   // members that sleep at a barrier leave it
}

} // namespace teff::region
