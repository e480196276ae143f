// SPDX-License-Identifier: Apache-2.0
#include "loop/cancel.h"

#include "loop/work_share.h"
#include "region/events.h"
#include "team/team.h"

namespace teff::loop {

namespace {

constexpr int kWorkSharing = region::kCancelLoop | region::kCancelSections;

// Returns the member's position, which is never 0, because 0 stands for no position.
std::uint64_t position(const team::Member& member) {
    return 1 + member.loop.sequence + member.loop.singles + member.barriers;
}

bool construct_cancelled(const team::Member& member) {
    if (const WorkShare* share = member.loop.current) return share->cancelled.load(std::memory_order_relaxed);
    return member.team->cancelled_position.load(std::memory_order_relaxed) == position(member);
}

void cancel_construct(const team::Member& member) {
    team::Team& team = *member.team;
    if (team.size == 1) return; // there is no other member, and other teams also use `all_taken`
    if (WorkShare* share = member.loop.current) share->cancelled.store(true, std::memory_order_relaxed);
    else team.cancelled_position.store(position(member), std::memory_order_relaxed);
}

bool is_cancelled(const team::Worker& worker, int kind) {
    if ((kind & kWorkSharing) != 0) return construct_cancelled(*worker.member);
    return region::is_cancelled(worker, kind);
}

} // namespace

bool cancellation_point(team::Worker& worker, int kind, base::CallSite site) {
    if (!icv::global().cancellation || !is_cancelled(worker, kind)) return false;
    if (TEFF_UNLIKELY(worker.probes != 0)) region::events::cancellation_seen(worker, kind, site);
    return true;
}

bool cancel(team::Worker& worker, int kind, base::CallSite site) {
    if (!icv::global().cancellation) return false;
    if (TEFF_UNLIKELY(worker.probes != 0)) region::events::cancels(worker, kind, site);
    if ((kind & kWorkSharing) != 0) cancel_construct(*worker.member);
    else region::cancel(worker, kind);
    return true;
}

} // namespace teff::loop
