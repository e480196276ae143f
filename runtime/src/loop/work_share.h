// SPDX-License-Identifier: Apache-2.0
//
// WorkShare: one work-sharing construct in flight.
//
// The members of a team meet the same constructs in the same order, but with nowait not at the same
// time. So the constructs of a region form a chain: each knows its successor, which the first
// member to come creates. No member ever waits for the others to catch up, and finding the next
// construct is one load, however far ahead or behind a member is.
//
// The chain of every region begins with the same WorkShare, Ring::first; its Tag says for
// which region of the team it stands. The others come from the ring (ring.h), which hangs at
// Team::ring, is made by the first member that needs it and kept with the team. Who claims a
// region's first construct takes back all that an earlier region, be it cancelled, has left behind.
//
//     first:   of an older region --claim--> setup --open--> open
//     others:  in the pool --create--> setup --open--> open --the last member has met the successor--> in the pool
//
// Who may touch what: the creator everything until it opens; then all members read the constants,
// and `next`, `turn` and the batches are shared as the schedules say. `memory` and `doacross`
// belong to the construct: the last to leave frees them, or the next creator if the construct was
// never finished.
//
// [share-1] move_on's fetch_sub (acquire and release): the last one gives the WorkShare back
//           ([ring-2]) when nobody reads it any more. What an older region left behind was released
//           by the end of that region.
// [share-2] open's store (release) of the tag, or of the predecessor's `successor`, pairs with the
//           loads in enter (acquire): a follower sees the constants.
// [share-3] At any time at most one member creates: it is the one whose compare-exchange turned the
//           last construct's `successor` from none to being created. Acquiring that construct made
//           it see what the creator before it did to the ring.
//
// The only wait in here is for a member that is between claim and open; it blocks the thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.h"
#include "loop/affinity_schedule.h"
#include "loop/iterations.h"
#include "sync/ordered_turn.h"
#include "sync/wait_word.h"
#include "team/team.h"

namespace teff::loop {

class Doacross;
struct Ring;

// Tag: the word that says of which region a chain's first WorkShare is, and how far it is.
//
//     bits 2-63  region  of the team: Team::region_serial
//     bits 0-1   phase
enum Phase : std::uint64_t { kSetup = 1, kOpen = 2 };

class Tag {
  public:
    static constexpr std::uint64_t kNone = ~std::uint64_t{3}; // of no region that there is

    explicit Tag(std::uint64_t region) : bits_(region << kRegionShift) {}

    std::uint64_t in(Phase phase) const { return bits_ | phase; }
    bool is_in(Phase phase, std::uint64_t seen) const { return seen == in(phase); }
    bool same_region(std::uint64_t seen) const { return seen >> kRegionShift == bits_ >> kRegionShift; }

  private:
    static constexpr unsigned kRegionShift = 2;

    std::uint64_t bits_;
};

enum class Schedule : std::uint8_t { static_, dynamic, dynamic_alone, stealing, guided, affinity, affinity_guided };

struct alignas(base::kCacheLine) WorkShare {
    // Constant while open.
    Iterations iterations;
    std::uint64_t chunk = 0;
    std::uint64_t chunks = 0; // dynamic, stealing, affinity: how many
    Schedule schedule = Schedule::static_;
    bool ordered = false;
    bool cancellable = false;
    unsigned members = 1;
    Batch* batches = nullptr;        // stealing: one per member; null: the loop cannot be stolen from
    Batch* shares = nullptr;         // affinity: one per member; null: as above, or nodes do not matter
    void* reductions = nullptr;      // what the first member brought: task/reduction.h
    void* memory = nullptr;          // zeroed memory that the members share, or null
    Doacross* doacross = nullptr;    // cross-iteration dependences; null if it has none, or one
                                     // member only and nothing is recorded
    std::uint64_t id = 0;            // recording
    const void* code = nullptr;      // a tool: where the program met it
    unsigned nest = 0;               // loops of a doacross nest
    bool sections = false;           // a tool: no loop
    bool divided_by_program = false; // a tool: nobody knows its iterations

    // Any member.
    alignas(base::kCacheLine) std::atomic<std::uint64_t> next{
        0}; // dynamic, stealing: chunk number; guided: iteration number; affinity: who has asked for the last chunk
    sync::OrderedTurn turn;

    // The chain. `behind` counts the members that have not met the successor,
    // `inside` those that have not left, if that matters.
    alignas(base::kCacheLine) std::atomic<std::uintptr_t> successor{0}; // a WorkShare, or kNone or kBeingCreated
    std::atomic<std::uint32_t> behind{0};
    std::atomic<std::uint32_t> inside{0};
    std::atomic<bool> cancelled{false}; // cancel.h
    sync::WaitWord opened;              // who waits until this one (the first) or its
                                        // successor (any) opens
    std::atomic<std::uint64_t> tag{Tag::kNone};
    WorkShare* predecessor = nullptr; // until it opens; null: the first
    WorkShare* next_spare = nullptr;  // in the ring's lists
    Ring* ring = nullptr;

    static constexpr std::uintptr_t kNone = 0, kBeingCreated = 1;
};

// Of a construct with one of the affinity schedules.
inline AffinitySchedule affinity_schedule(WorkShare& share) {
    return {share.next,
            share.shares,
            {share.iterations.count, share.chunk, share.members, share.schedule == Schedule::affinity_guided}};
}

struct Entry {
    WorkShare& share;
    bool first; // the caller sets it up and calls open
};

// The calling member meets its next construct.
Entry enter(team::Worker& worker);

// Claims construct number 0 of a region whose members have not started yet;
// they enter it later, as followers.
WorkShare& claim_first(team::Team& team);

// The first member (or who called claim_first) has set the construct up.
void open(WorkShare& share);

// The calling member has done its part of its current construct, if it is in
// one.
void leave(team::Worker& worker);

// Frees what belongs to the construct.
void free_extras(WorkShare& share);

// The zeroed memory that the first member's construct shares. For the first
// member, before open.
void allocate_memory(WorkShare& share, std::size_t bytes);

// Waiting inside work-sharing: how often to look before sleeping, and, in a
// process that allows cancellation, how often to look whether the construct was
// given up, of which the waiter is not notified.
unsigned spins(const team::Team& team);
std::uint64_t look_again_ns();

// Is the construct, or the region, cancelled? Then others may have left it before their chunks were
// done.
inline bool given_up(const WorkShare& share, const team::Team& team) {
    return share.cancelled.load(std::memory_order_relaxed) || team.cancelled.load(std::memory_order_relaxed);
}

// In a forked child: the calling thread is alone in the constructs that it is in, one for each team
// around it that it leads at most. Its turn in an ordered loop always has come, and nobody is left
// for whose iterations it could wait. What it meets later, it meets as the only member. Before
// region::forget_other_threads, which makes the thread number 0 of its team.
void go_on_alone(team::Worker& worker);

} // namespace teff::loop
