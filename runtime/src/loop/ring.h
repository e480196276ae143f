// SPDX-License-Identifier: Apache-2.0
// Ring: the memory behind a team's WorkShares. See work_share.h.
#pragma once

#include "loop/work_share.h"

namespace teff::loop {

struct Ring {
    static constexpr unsigned kSlots = 8;

    unsigned capacity; // team members that it has room for
    WorkShare slots[kSlots];
    WorkShare* abandoned; // one per member; null in processes without cancellation
};

// A ring for teams of up to `team_capacity` members.
Ring* make_ring(unsigned team_capacity);
void free_ring(Ring* ring);

// The team's ring, which the first member to ask makes.
Ring& ring_of(team::Team& team);

} // namespace teff::loop
