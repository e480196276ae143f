// SPDX-License-Identifier: Apache-2.0
//
// Ring: where a team's WorkShares come from, and where they return to. See work_share.h.
//
// The first construct of a region always takes the WorkShare `first`. The others come from a pool,
// and go back there when the last member has met the next construct. The pool's blocks are kept
// until the ring is freed. Taking is simple: at any time at most one member creates a construct,
// since the next one can only be created by who has met this one. Giving back is a push onto a
// list, by any member.
//
// [ring-1] make_ring's result is published by an exchange (release) that pairs with ring_of's load
//          (acquire).
// [ring-2] give_back's compare-exchange (release) pairs with take's exchange (acquire): the creator
//          overwrites only what nobody reads any more. As take takes the whole list, a push cannot
//          be fooled by a head that went and came back.
#pragma once

#include "loop/work_share.h"

namespace teff::loop {

// What the ring remembers for one member. Its own thread only.
struct alignas(base::kCacheLine) Follower {
    WorkShare* met = nullptr; // the last construct that it has met in this
                              // region, if it has met any
};

struct Ring {
    unsigned capacity = 0; // team members that it can serve
    bool by_node = false;  // nodes matter to the team: its constructs have shares, and no batches
    Follower* followers = nullptr;
    Ring* replaced = nullptr; // the smaller one in whose place it is: others may still be looking how small that is
    WorkShare first;

    // For the member that creates a construct: a WorkShare that nobody uses.
    WorkShare& take();

    // All members have met the construct behind this one.
    void give_back(WorkShare& share);

    // For who claimed the first construct of a region: what an older one has left
    // behind is free.
    void take_all_back();

    void free_blocks();

  private:
    struct Block;
    static constexpr unsigned kPerBlock = 32;

    TEFF_COLD WorkShare& take_from_block();
    Block* make_block();

    // The creator only.
    Block* blocks_ = nullptr;  // all, in the order of their use
    Block* filling_ = nullptr; // those before it were handed out in this region, and of it
    unsigned handed_out_ = 0;  // so many
    WorkShare* spares_ = nullptr;

    alignas(base::kCacheLine) std::atomic<WorkShare*> returned_{nullptr}; // [ring-2]
};

// A ring for teams of up to `team_capacity` members.
Ring* make_ring(unsigned team_capacity, bool by_node);
void free_ring(Ring* ring);

// The team's ring, which the first member to ask makes.
Ring& ring_of(team::Team& team);

} // namespace teff::loop
