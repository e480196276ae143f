// SPDX-License-Identifier: Apache-2.0
//
// WorkShare: one work-sharing construct in flight. Ring: a team's WorkShares, used in turn.
//
// The members of a team meet the same constructs in the same order, but with nowait not at the same time. Construct number s of a region
// uses slot s modulo Ring::kSlots. A member that runs ahead of the others by more finds the slot in use by an earlier round; then the
// construct goes to the ring's overflow (overflow.h), lists under a lock. No member ever waits for the others to catch up; one that is far
// ahead naps, though.
//
// The ring hangs at Team::ring. It is made by the first member that needs it and kept with the team. A WorkShare is self-describing: its
// tag (tag.h) says for which region of the team and which round of the ring it stands, so nothing is reset between regions, and
// constructs that a cancelled region left unfinished are no hindrance to the next one.
//
//     free, or of an older region --claim--> setup   the first member to arrive
//     setup --open--> open                           the same member, when the fields are written
//     open --leave--> free                           the last member to leave
//
// Who may touch what: the claimer everything until it opens; then all members read the constants, and `next`, `turn` and the batches are
// shared as the schedules say. `memory` and `doacross` belong to the construct: the last to leave frees them, or the next claimer if
// the construct was never finished. A WorkShare of the overflow goes back to the ring's list of spares.
//
// [share-1] leave: users.fetch_sub (acquire and release), then the last one's fetch_and of the tag (release), pair with claim's
//           compare-exchange (acquire): the claimer overwrites only what nobody reads any more. What an older region left behind was
//           released by the end of that region.
// [share-2] open's fetch_add (release) pairs with the load in claim (acquire): a follower sees the constants.
// [share-3] No construct is claimed twice, once in its slot and once in the overflow. Putting one into the overflow first sets `spilled`
//           in the slot's tag, by an exchange that fails if the slot is no longer in use. From then on nobody takes the slot but under the
//           ring's lock, after a look into the overflow. `spilled` goes when the slot is taken for a construct X that is not in
//           the overflow. Those that are, are all earlier than X: their creators met them before. Whoever still looks for one of them
//           has not left X, finds the slot in use, and so looks into the overflow.
//
// The only wait in here is for a member that is between claim and open; it blocks the thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.h"
#include "loop/iterations.h"
#include "loop/stealing_schedule.h"
#include "loop/tag.h"
#include "sync/ordered_turn.h"
#include "sync/wait_word.h"
#include "team/team.h"

namespace teff::loop {

class Doacross;
class Overflow;

enum class Schedule : std::uint8_t { static_, dynamic, dynamic_alone, stealing, guided };

struct alignas(base::kCacheLine) WorkShare {
    // Constant while open.
    Iterations iterations;
    std::uint64_t chunk = 0;
    std::uint64_t chunks = 0; // dynamic, stealing: how many
    Schedule schedule = Schedule::static_;
    bool ordered = false;
    bool cancellable = false;
    unsigned members = 1;
    Batch* batches = nullptr;             // one per member; null in the overflow
    std::uintptr_t* reductions = nullptr; // the first member's
    void* memory = nullptr;               // zeroed memory that the members share, or null
    Doacross* doacross = nullptr;         // cross-iteration dependences; null if it has none, or one member only
    std::uint64_t id = 0;                 // recording

    // Any member.
    alignas(base::kCacheLine) std::atomic<std::uint64_t> next{
        0}; // dynamic, stealing: chunk number; guided: iteration number
    sync::OrderedTurn turn;

    // The slot protocol.
    alignas(base::kCacheLine) std::atomic<std::uint64_t> tag{Tag::kNone};
    std::atomic<std::uint32_t> users{0}; // members that have not left, those that have not come included
    sync::WaitWord opened;
    Overflow* overflow = nullptr; // the list that it is in, under Ring::lock; null in a slot
    WorkShare* next_overflow = nullptr;
};

struct Entry {
    WorkShare& share;
    bool first; // the caller sets it up and calls open
};

// The calling member meets its next construct.
Entry enter(team::Worker& worker);

// Claims construct number 0 of a region whose members have not started yet; they enter it later, as followers.
WorkShare& claim_first(team::Team& team);

// The first member (or who called claim_first) has set the construct up.
void open(WorkShare& share);

// The calling member has done its part of its current construct, if it is in one.
void leave(team::Worker& worker);

// Frees what belongs to the construct.
void free_extras(WorkShare& share);

// The zeroed memory that the first member's construct shares. For the first member, before open.
void allocate_memory(WorkShare& share, std::size_t bytes);

// Waiting inside work-sharing: how often to look before sleeping, and, in a process that allows cancellation, how often to look whether
// the region was cancelled, of which the waiter is not notified.
unsigned spins(const team::Team& team);
std::uint64_t look_again_ns();

inline bool region_cancelled(const team::Team& team) {
    return team.cancelled.load(std::memory_order_relaxed); // a hint: who sees it late does a little more work
}

} // namespace teff::loop
