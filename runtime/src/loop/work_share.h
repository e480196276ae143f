// SPDX-License-Identifier: Apache-2.0
//
// WorkShare: one work-sharing construct in flight. Ring: a team's WorkShares, used in turn.
//
// The members of a team meet the same constructs in the same order, but with nowait not at the same time. Construct number s of a region uses
// slot s modulo kSlots. A member may run ahead of the others by that many constructs; then it waits until all have left the old one.
//
// The ring hangs at Team::ring. It is made by the first member that needs it and kept with the team. A slot is self-describing: its tag
// says for which region of the team (Team::region_serial) and for which round of the ring it stands, so nothing is reset between
// regions, and constructs that a cancelled region left unfinished are no hindrance to the next one.
//
//     free, or of an older region --claim--> setup   the first member to arrive
//     setup --open--> open                           the same member, when the fields are written
//     open --leave--> free                           the last member to leave
//
// Who may touch what: the claimer everything until it opens the slot; then all members read the constants, and `next`, `turn` and the
// batches are shared as the schedules say. `memory` belongs to the construct: the last to leave frees it, or the next claimer if the
// construct was abandoned.
//
// [share-1] leave: users.fetch_sub (acquire and release), and the last one's store of `free` (release), pair with claim's
//           compare-exchange (acquire): the claimer overwrites only what nobody reads any more. What an older region left behind was
//           released by the end of that region.
// [share-2] open's store (release) pairs with the load in claim (acquire): a follower sees the constants.
//           Sleeping until a tag changes: see sync::WaitWord.
//
// Waits block the thread. A member waits in claim only for a member that is between claim and open, or for the last to leave. The latter may
// never come once the region is cancelled; then the member gets a WorkShare of its own that is empty (Entry::share.abandoned).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.h"
#include "loop/iterations.h"
#include "loop/stealing_schedule.h"
#include "sync/ordered_turn.h"
#include "sync/wait_word.h"
#include "team/team.h"

namespace teff::loop {

enum class Schedule : std::uint8_t { static_, dynamic, stealing, guided };

struct alignas(base::kCacheLine) WorkShare {
    // Constant while open.
    Iterations iterations;
    std::uint64_t chunk = 0;
    std::uint64_t chunks = 0; // dynamic, stealing: how many
    Schedule schedule = Schedule::static_;
    bool ordered = false;
    bool cancellable = false;
    bool abandoned = false; // of one member in a cancelled region: has no iterations
    unsigned members = 1;
    Batch* batches = nullptr;             // one per member
    std::uintptr_t* reductions = nullptr; // the first member's
    void* memory = nullptr;               // zeroed memory that the members share, or null
    std::uint64_t id = 0;                 // recording

    // Any member.
    alignas(base::kCacheLine) std::atomic<std::uint64_t> next{
        0}; // dynamic, stealing: chunk number; guided: iteration number
    sync::OrderedTurn turn;

    // The slot protocol.
    alignas(base::kCacheLine) std::atomic<std::uint64_t> tag{0};
    std::atomic<std::uint32_t> users{0}; // members that have not left, those that have not come included
    sync::WaitWord changed;              // of `tag`
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
void open(const team::Team& team, WorkShare& share);

// The calling member has done its part of its current construct, if it is in one.
void leave(team::Worker& worker);

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
