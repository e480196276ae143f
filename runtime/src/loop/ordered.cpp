// SPDX-License-Identifier: Apache-2.0
#include "loop/ordered.h"

#include "loop/events.h"

namespace teff::loop {

namespace {

// False: the construct was given up while it waited, so the turn may never come.
bool wait_for_turn(team::Worker& worker, WorkShare& share, base::CallSite site) {
    const std::uint64_t first = worker.member->loop.ordered_first;
    if (share.turn.has(first)) return true;
    const team::Team& team = *worker.member->team;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks began = probed ? events::turn_wait_begins(worker, site) : 0;
    share.turn.wait_for(first, spins(team), look_again_ns(), [&] { return given_up(share, team); });
    if (probed) events::turn_wait_ends(worker, site, began);
    return share.turn.has(first);
}

} // namespace

void ordered_begin(team::Worker& worker, base::CallSite site) {
    WorkShare* share = worker.member->loop.current;
    if (share == nullptr) return;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    if (probed) events::ordered_begins(worker, site);
    if (worker.member->loop.ordered_count != 0) wait_for_turn(worker, *share, site);
    if (probed) events::ordered_entered(worker, site);
}

void ordered_end(team::Worker& worker, base::CallSite site) {
    if (TEFF_UNLIKELY(worker.probes != 0) && worker.member->loop.current != nullptr) events::ordered_ends(worker, site);
}

void pass_turn(team::Worker& worker, base::CallSite site) {
    team::LoopPlace& place = worker.member->loop;
    if (place.ordered_count == 0) return;
    const std::uint64_t behind = place.ordered_first + place.ordered_count;
    if (wait_for_turn(worker, *place.current, site)) place.current->turn.pass_to(behind);
    place.ordered_count = 0;
}

} // namespace teff::loop
