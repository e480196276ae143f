// SPDX-License-Identifier: Apache-2.0
// Is a team quiet: has every task that was created in it finished?
#pragma once

#include "team/team.h"

namespace teff::region {

// Exact if true and every member has arrived (no one is left who could create a task without being a task): the sums only grow, and
// `finished` is read first, so if `created` as read later is no larger, no task was outstanding in between (team.h).
// [quiet-1] Two members that end the last tasks at the same time must not both miss the other's count: each stores its count and then,
//           before it sleeps, does a read-modify-write (Sleepers::enter) and looks here; one of them sees both.
inline bool quiet(const team::Team& team, unsigned size) {
    std::uint64_t finished = team.finished_elsewhere.load(std::memory_order_seq_cst);
    for (unsigned i = 0; i < size; ++i)
        finished += team.members[i]->finished.load(std::memory_order_acquire);
    std::uint64_t created = 0;
    for (unsigned i = 0; i < size; ++i)
        created += team.members[i]->created.load(std::memory_order_acquire);
    return finished == created;
}

} // namespace teff::region
