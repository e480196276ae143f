// SPDX-License-Identifier: Apache-2.0
#include "region/tool_notices.h"

#include "probe/ompt/records.h"
#include "team/probes.h"

namespace teff::region {

void will_notify_tool(const team::Worker& worker, team::Team& team) {
    if (team::observed(worker)) team.notices_due.fetch_add(1, std::memory_order_relaxed); // the join publishes it
}

bool has_to_notify_tool(const team::Worker& worker) {
    return team::observed(worker) && worker.ompt->current() != nullptr;
}

void has_notified_tool(const team::Worker& worker) {
    team::Worker& leader = *worker.leader; // read first: the leader may reuse the team once it knows
    if (worker.member->team->notices_due.fetch_sub(1, std::memory_order_release) == 1)
        leader.parker.unpark(TEFF_WAKE_JOIN); // [notices-1]
}

void release_members(team::Worker& leader, team::Team& team) {
    if (!team::observed(leader)) return;
    team.generation.fetch_add(1, std::memory_order_seq_cst); // [barrier-1] [barrier-2]
    team.ready.wake_all_if_any(TEFF_WAKE_TEAM);
    while (team.notices_due.load(std::memory_order_acquire) != 0) // [notices-1]
        leader.parker.park();
}

} // namespace teff::region
