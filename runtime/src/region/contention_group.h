// SPDX-License-Identifier: Apache-2.0
//
// The contention group: an initial thread, and all threads that work for it on any level of
// nesting. OMP_THREAD_LIMIT limits the number of these threads.
//
// The number of threads is kept in the initial team (Team::group_extra), to which each team of the
// group points (Team::initial). The number is kept only if there is a limit. A limit changes only
// between regions, so a region counts its threads either both at its start and at its end, or not
// at all. Any thread of the group may change the number. The order is relaxed, because the number
// guards no other data.
#pragma once

#include <algorithm>
#include <atomic>

#include "icv/icv.h"
#include "team/team.h"

namespace teff::region {

// The team at level 0 of the member's contention group.
inline team::Team& initial_team(const team::Member& member) { return *member.team->initial; }

// Takes up to `size` - 1 threads from the group's limit (the leader is already counted). Returns
// the number of threads that the team may have, including the leader.
TEFF_COLD inline unsigned take_from_group(const team::Member& leader, unsigned limit, unsigned size) {
    std::atomic<unsigned>& extra = initial_team(leader).group_extra;
    unsigned seen = extra.load(std::memory_order_relaxed);
    unsigned granted;
    do {
        const unsigned free = limit - 1 - std::min(seen, limit - 1);
        granted = std::min(size - 1, free);
    } while (!extra.compare_exchange_weak(seen, seen + granted, std::memory_order_relaxed));
    return granted + 1;
}

TEFF_COLD inline void give_back_to_group(const team::Member& leader, unsigned threads) {
    initial_team(leader).group_extra.fetch_sub(threads, std::memory_order_relaxed);
}

// Counts the threads of a team that wants `size` threads. Returns how many threads the team may
// have, including the leader.
inline unsigned join_group(const team::Member& leader, unsigned limit, unsigned size) {
    return TEFF_LIKELY(limit == icv::kNoThreadLimit) ? size : take_from_group(leader, limit, size);
}

// Subtracts `threads` from the group's count: those threads were not started or have ended their
// work.
inline void leave_group(const team::Member& leader, unsigned limit, unsigned threads) {
    if (TEFF_UNLIKELY(limit != icv::kNoThreadLimit)) give_back_to_group(leader, threads);
}

} // namespace teff::region
