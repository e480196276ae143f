// SPDX-License-Identifier: Apache-2.0
// Ring: where a team's WorkShares are. See work_share.h.
#pragma once

#include "loop/overflow.h"
#include "loop/tag.h"
#include "loop/work_share.h"
#include "sync/mutex.h"

namespace teff::loop {

// A WorkShare that the calling member has found or claimed; `share` null: look again.
struct Claimed {
    WorkShare* share;
    bool first;
};

struct Ring {
    static constexpr unsigned kSlots = 8;
    static constexpr unsigned kOverflowRounds = 32; // rounds of the ring until a list of the overflow is used again

    unsigned capacity = 0; // team members that it has room for
    WorkShare slots[kSlots];

    sync::Mutex lock;
    Overflow overflow[kOverflowRounds][kSlots] TEFF_GUARDED_BY(lock);
    WorkShare* spares TEFF_GUARDED_BY(lock) = nullptr;

    // `slot` is not free, or something was spilled from it: finds the construct in the overflow or claims a place for it.
    TEFF_COLD Claimed claim_slow(WorkShare& slot, Tag mine) TEFF_EXCLUDES(lock);

    // The last member has left a construct of the overflow.
    TEFF_COLD void give_back(WorkShare& share) TEFF_EXCLUDES(lock);

  private:
    // A member that finds this many constructs in one list is thousands ahead of the slowest. It naps before it goes on: the
    // others need the processor more. One nap per construct, since a program may keep a member waiting until others have met any
    // number of constructs.
    static constexpr unsigned kFarAhead = 64;

    bool is_far_ahead(const WorkShare& slot, Tag mine) TEFF_EXCLUDES(lock);
    Overflow& overflow_for(const WorkShare& slot, Tag mine) TEFF_REQUIRES(lock) {
        return overflow[mine.round() % kOverflowRounds][&slot - slots];
    }
    WorkShare& take_spare_locked() TEFF_REQUIRES(lock);
    void put_spares_locked(WorkShare* list) TEFF_REQUIRES(lock);
};

// A ring for teams of up to `team_capacity` members.
Ring* make_ring(unsigned team_capacity);
void free_ring(Ring* ring);

// The team's ring, which the first member to ask makes.
Ring& ring_of(team::Team& team);

} // namespace teff::loop
