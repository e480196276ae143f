// SPDX-License-Identifier: Apache-2.0
#include "region/barrier.h"

#include "region/events.h"
#include "region/team_protocol.h"
#include "task/waiting.h"

namespace teff::region {

namespace {

void arrive_and_wait(team::Worker& worker, bool cancellable) {
    team::Team& team = *worker.member->team;
    const std::uint32_t phase = team.generation.load(std::memory_order_relaxed); // stays until this member arrives
    BarrierOpen<base::RealAtomics, team::Team> open{team, phase, cancellable};
    if (!open.arrive()) task::wait_until(worker, open);
}

} // namespace

bool barrier(team::Worker& worker, BarrierKind kind, bool cancellable, base::CallSite site) {
    team::Team& team = *worker.member->team;
    if (cancellable && team.cancelled.load(std::memory_order_relaxed)) return true;
    const std::uint32_t ordinal = ++worker.member->barriers;
    const base::Ticks began = TEFF_UNLIKELY(worker.probes != 0) ? events::barrier_begins(worker, kind, site) : 0;
    arrive_and_wait(worker, cancellable);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::barrier_ends(worker, kind, site, began, ordinal);
    return cancellable && team.cancelled.load(std::memory_order_relaxed);
}

} // namespace teff::region
