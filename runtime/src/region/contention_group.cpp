// SPDX-License-Identifier: Apache-2.0
#include "region/contention_group.h"

#include <algorithm>

namespace teff::region {

// Of the group's threads the leader is one that it already has.
unsigned take_from_group(const team::Member& leader, unsigned limit, unsigned size) {
    std::atomic<unsigned>& extra = initial_team(leader).group_extra;
    unsigned seen = extra.load(std::memory_order_relaxed);
    unsigned granted;
    do {
        const unsigned free = limit - 1 - std::min(seen, limit - 1);
        granted = std::min(size - 1, free);
    } while (!extra.compare_exchange_weak(seen, seen + granted, std::memory_order_relaxed));
    return granted + 1;
}

void give_back_to_group(const team::Member& leader, unsigned threads) {
    initial_team(leader).group_extra.fetch_sub(threads, std::memory_order_relaxed);
}

} // namespace teff::region
