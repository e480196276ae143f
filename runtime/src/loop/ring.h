// SPDX-License-Identifier: Apache-2.0
//
// Ring: provides the WorkShares of a team (work_share.h).
//
// The first construct of a region always takes the WorkShare `first`. The other constructs take
// theirs from a pool. A WorkShare goes back to the pool when the last member has met the next
// construct. The pool's blocks are kept until the ring is freed. Taking needs no synchronisation
// between creators: at any time at most one member creates a construct, because only a member that
// has met the present construct can create the next. Any member may give back a WorkShare; this is
// a push onto a list.
//
// [ring-1] The result of make_ring() is published by an exchange (release), which pairs with the
//          load in ring_of() (acquire).
// [ring-2] The compare-exchange in give_back() (release) pairs with the exchange in take()
//          (acquire): the creator overwrites only WorkShares that no member reads any more. Because
//          take() takes the whole list, the list has no ABA problem: a push is correct even if the
//          list's head was removed and came back in between.
#pragma once

#include "loop/work_share.h"

namespace teff::loop {

// The ring's data about one member. Accessed by the member's own thread only.
struct alignas(base::kCacheLine) Follower {
    WorkShare* met = nullptr; // the last construct that the member has met in this
                              // region, if it has met any
};

struct Ring {
    unsigned capacity = 0; // the number of team members that the ring can serve
    bool by_node = false;  // nodes matter to the team: its constructs have shares, and no batches
    Follower* followers = nullptr;
    Ring* replaced = nullptr; // the smaller ring that this ring replaced: other threads may still read its capacity
    WorkShare first;

    // Returns a WorkShare that no member uses. Called by the member that creates a construct.
    WorkShare& take();

    // Returns the WorkShare to the pool. Called when all members have met the construct after this
    // one.
    void give_back(WorkShare& share);

    // Returns to the pool all WorkShares that an older region has left behind. Called by the thread
    // that claimed the first construct of a region.
    void take_all_back();

    void free_blocks();

  private:
    struct Block;
    static constexpr unsigned kPerBlock = 32;

    TEFF_COLD WorkShare& take_from_block();
    Block* make_block();

    // Accessed by the member that creates a construct only.
    Block* blocks_ = nullptr;  // all blocks, in the order of their use
    Block* filling_ = nullptr; // the current block; the blocks before it were handed out in this region
    unsigned handed_out_ = 0;  // number of WorkShares of `filling_` that were handed out
    WorkShare* spares_ = nullptr;

    alignas(base::kCacheLine) std::atomic<WorkShare*> returned_{nullptr}; // [ring-2]
};

// Makes a ring for teams of up to `team_capacity` members.
Ring* make_ring(unsigned team_capacity, bool by_node);
void free_ring(Ring* ring);

// Returns the team's ring. The first member that calls this function makes the ring. If the ring is
// too small for the team, replaces it.
Ring& ring_of(team::Team& team);

} // namespace teff::loop
