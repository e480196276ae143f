// SPDX-License-Identifier: Apache-2.0
//
// Is a team quiet: has every task that was created in it finished?
//
// Each member counts what it created and what it finished, threads outside the team what they
// finished (Team::finished_elsewhere). The sums only grow, and `finished` is read first: if
// `created` as read later is no larger, no task was outstanding in between (Mattern, Distributed
// Computing 1987). So the answer is exact if it is yes and every member has arrived: no one is left
// then who could create a task without being one.
//
// [quiet-1] Two members that end the last tasks at the same time must not both miss the other's
//           count: each stores its count and then, before it sleeps, does a read-modify-write
//           (Sleepers::enter) and looks here; one of them sees both.
//
// A template over the Team, whose counters may be the explorer's.
#pragma once

#include <atomic>
#include <cstdint>

namespace teff::region {

template <class Team> inline bool quiet(const Team& team, unsigned size) {
    std::uint64_t finished = team.finished_elsewhere.load(std::memory_order_seq_cst); // [quiet-1]
    for (unsigned i = 0; i < size; ++i)
        finished += team.members[i]->finished.load(std::memory_order_acquire); // [quiet-1]
    std::uint64_t created = 0;
    for (unsigned i = 0; i < size; ++i)
        created += team.members[i]->created.load(std::memory_order_acquire); // [quiet-1]
    return finished == created;
}

} // namespace teff::region
