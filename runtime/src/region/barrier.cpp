// SPDX-License-Identifier: Apache-2.0
//
// The barrier of a team; and the cancellation of its region, which ends the waits at it.
#include "region/events.h"
#include "region/region.h"
#include "region/team_protocol.h"
#include "task/cancelled.h"
#include "task/waiting.h"

namespace teff::region {

namespace {

void arrive_and_wait(team::Worker& worker, bool cancellable) {
    team::Team& team = *worker.member->team;
    const std::uint32_t phase = team.generation.load(std::memory_order_relaxed); // stays until this member arrives
    BarrierOpen<base::RealAtomics, team::Team> open{team, phase, cancellable};
    if (!open.arrive()) task::wait_at_ground(worker, open);
}

void cancel_group(task::Taskgroup* group) {
    if (group != nullptr && group->for_worksharing && group->outer != nullptr) group = group->outer;
    if (group != nullptr) group->cancelled.store(true, std::memory_order_relaxed);
}

} // namespace

bool barrier(team::Worker& worker, BarrierKind kind, bool cancellable, base::CallSite site, base::Ticks met) {
    team::Team& team = *worker.member->team;
    if (cancellable && team.cancelled.load(std::memory_order_relaxed)) return true;
    const std::uint32_t ordinal = ++worker.member->barriers;
    const base::Ticks began = TEFF_UNLIKELY(worker.probes != 0) ? events::barrier_begins(worker, kind, site, met) : 0;
    arrive_and_wait(worker, cancellable);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::barrier_ends(worker, kind, site, began, ordinal);
    return cancellable && team.cancelled.load(std::memory_order_relaxed);
}

bool is_cancelled(const team::Worker& worker, int kind) {
    if ((kind & kCancelTaskgroup) != 0 && task::group_cancelled(worker.task->group)) return true;
    const team::Team& team = *worker.member->team;
    return team.cancelled.load(std::memory_order_relaxed); // which also cancels the region's explicit tasks
}

void cancel(team::Worker& worker, int kind) {
    if ((kind & kCancelTaskgroup) != 0) return cancel_group(worker.task->group);
    team::Team& team = *worker.member->team;
    team.cancelled.store(true, std::memory_order_seq_cst); // [cancel-1]
    team.ready.wake_all();                                 // members that sleep at a barrier leave it
}

} // namespace teff::region
