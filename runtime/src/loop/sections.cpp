// SPDX-License-Identifier: Apache-2.0
#include "loop/sections.h"

#include "loop/events.h"
#include "region/region.h"
#include "team/team.h"

namespace teff::loop {

namespace {

// Returns true if the calling member is the first to arrive.
bool take(team::Worker& worker) {
    team::Member& member = *worker.member;
    team::Team& team = *member.team;
    if (team.size == 1) return true;
    std::uint64_t met = member.loop.singles++;
    if (team.singles.load(std::memory_order_relaxed) != met)
        return false; // never less: it was at least `met` when this member met its last single
    return team.singles.compare_exchange_strong(met, met + 1, std::memory_order_relaxed);
}

} // namespace

// HOT single: for all members but the first, this is one load of the team's count.
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

LoopRequest sections_request(unsigned count, base::CallSite site) {
    LoopRequest request;
    request.iterations = Iterations::of(1, static_cast<long>(count) + 1, 1);
    request.schedule = ScheduleChoice::fixed(icv::ScheduleKind::dynamic, Order::monotonic, 1l);
    request.site = site;
    request.sections = true;
    return request;
}

unsigned sections_start(team::Worker& worker, const LoopRequest& request) {
    start(worker, request);
    return sections_next(worker, request.site);
}

unsigned sections_next(team::Worker& worker, base::CallSite site) {
    Span span;
    return next(worker, span, site) ? static_cast<unsigned>(span.first + 1) : 0;
}

void share_reductions(team::Worker& worker, const task::WorksharingReductions& reductions) {
    const Entry entry = enter(worker);
    if (entry.first) entry.share.reductions = reductions.own;
    reductions.enter(worker, reductions.own, entry.first ? nullptr : entry.share.reductions);
    if (entry.first) open(entry.share);
    leave(worker);
}

void scope_start(team::Worker& worker, const task::WorksharingReductions& reductions, base::CallSite site) {
    share_reductions(worker, reductions);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::scope_begins(worker, site);
}

} // namespace teff::loop
