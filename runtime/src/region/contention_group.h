// SPDX-License-Identifier: Apache-2.0
//
// The contention group: an initial thread and all threads that work for it, on every level of
// nesting. OMP_THREAD_LIMIT bounds them together.
//
// The number stands in the initial team (Team::group_extra), to which each team of the group points
// (Team::initial), and is kept only where there is a limit: a limit changes between regions only,
// so each region of a group either counts its threads when it begins and when it ends, or does
// neither. Any thread of the group; relaxed, since the number guards nothing else.
#pragma once

#include "icv/icv.h"
#include "team/team.h"

namespace teff::region {

// The team at level 0 of the member's contention group.
inline team::Team& initial_team(const team::Member& member) { return *member.team->initial; }

TEFF_COLD unsigned take_from_group(const team::Member& leader, unsigned limit, unsigned size);
TEFF_COLD void give_back_to_group(const team::Member& leader, unsigned threads);

// How many threads, with the leader, a team may have that wants `size`. Counts them.
inline unsigned join_group(const team::Member& leader, unsigned limit, unsigned size) {
    return TEFF_LIKELY(limit == icv::kNoThreadLimit) ? size : take_from_group(leader, limit, size);
}

// So many of them are not, or no longer, at work.
inline void leave_group(const team::Member& leader, unsigned limit, unsigned threads) {
    if (TEFF_UNLIKELY(limit != icv::kNoThreadLimit)) give_back_to_group(leader, threads);
}

} // namespace teff::region
