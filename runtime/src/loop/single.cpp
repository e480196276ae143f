// SPDX-License-Identifier: Apache-2.0
#include "loop/single.h"

#include "loop/events.h"
#include "region/region.h"
#include "team/team.h"

namespace teff::loop {

namespace {

// Is the calling member the first to arrive?
bool take(team::Worker& worker) {
    team::Member& member = *worker.member;
    team::Team& team = *member.team;
    if (team.size == 1) return true;
    std::uint64_t met = member.loop.singles++;
    if (team.singles.load(std::memory_order_relaxed) != met)
        return false; // never less: it was at least `met` when this one met the last
    return team.singles.compare_exchange_strong(met, met + 1, std::memory_order_relaxed);
}

} // namespace

// HOT single: a look at the team's count for all but the first to arrive.
bool single_start(team::Worker& worker, base::CallSite site) {
    const bool executor = take(worker);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::single_begins(worker, executor, site);
    return executor;
}

void* single_copy_start(team::Worker& worker, base::CallSite site) {
    if (single_start(worker, site)) return nullptr;
    region::barrier(worker, region::BarrierKind::kImplementation, false, site);
    return worker.member->team->copyprivate.load(std::memory_order_relaxed); // the barrier orders it
}

void single_copy_end(team::Worker& worker, void* data, base::CallSite site) {
    if (TEFF_UNLIKELY(worker.probes != 0)) events::single_ends(worker);
    team::Team& team = *worker.member->team;
    if (team.size == 1) return;
    team.copyprivate.store(data, std::memory_order_relaxed); // the barrier orders it
    region::barrier(worker, region::BarrierKind::kImplementation, false, site);
}

} // namespace teff::loop
