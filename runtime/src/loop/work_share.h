// SPDX-License-Identifier: Apache-2.0
//
// WorkShare: the record of one work-sharing construct in flight.
//
// The members of a team meet the same constructs in the same order, but, with nowait, at different
// times. So the constructs of a region form a chain. Each record points to its successor; the first
// member that encounters the next construct creates the successor. No member ever waits until the
// others have come as far. A member finds the next construct by one load, however far ahead or
// behind it is.
//
// The chain of every region begins with the same WorkShare, Ring::first. Its Tag says to which
// region of the team it currently belongs. The other WorkShares come from the ring (ring.h). The
// ring is at Team::ring; the first member that needs it makes it, and it is kept with the team. The
// member that claims a region's first construct takes back all WorkShares that an earlier region,
// cancelled or not, has left behind.
//
//     first:   of an older region --claim--> setup --open--> open
//     others:  in the pool --create--> setup --open--> open --the last member has met the successor--> in the pool
//
// Until the construct opens, only its creator accesses the record. After that all members read the
// constants, and share `next`, `turn` and the batches as the schedules say. `memory` and `doacross`
// belong to the construct: the last member to leave frees them, or the next creator does if the
// construct was never finished.
//
// [share-1] The fetch_sub in move_on() is an acquire and a release. So when the last member gives
//           the WorkShare back ([ring-2]), no member reads it any more. WorkShares that an older
//           region has left behind need no such order: the barrier that ended that region has
//           ordered all accesses to them.
// [share-2] open() stores the tag, or the predecessor's `successor` (release). This store pairs
//           with the loads in enter() (acquire), so a member that enters the construct after its
//           creator sees the constants that the creator wrote.
// [share-3] At any time at most one member creates a construct: the member whose compare-exchange
//           changed the last construct's `successor` from kNone to kBeingCreated. This member has
//           acquired the last construct, so it sees the changes that the previous creator made to
//           the ring.
//
// The only wait in this file is for a member that is between claim and open. This wait blocks the
// thread.
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

// Tag: a word with the region to which a chain's first WorkShare belongs, and its phase.
//
//     bits 2-63  region  of the team: Team::region_serial
//     bits 0-1   phase
enum Phase : std::uint64_t { kSetup = 1, kOpen = 2 };

class Tag {
  public:
    static constexpr std::uint64_t kNone = ~std::uint64_t{3}; // the tag of no existing region

    explicit Tag(std::uint64_t region) : bits_(region << kRegionShift) {}

    std::uint64_t in(Phase phase) const { return bits_ | phase; }
    bool is_in(Phase phase, std::uint64_t seen) const { return seen == in(phase); }
    bool same_region(std::uint64_t seen) const { return seen >> kRegionShift == bits_ >> kRegionShift; }

  private:
    static constexpr unsigned kRegionShift = 2;

    std::uint64_t bits_;
};

enum class Schedule : std::uint8_t {
    static_,
    dynamic,
    dynamic_alone,
    stealing,
    guided,
    guided_whole, // each piece is a multiple of the chunk size, except the last
    affinity,
    affinity_guided,
};

struct alignas(base::kCacheLine) WorkShare {
    // Constant while the construct is open.
    Iterations iterations;
    std::uint64_t chunk = 0;
    std::uint64_t chunks = 0; // dynamic, stealing, affinity: number of chunks
    Schedule schedule = Schedule::static_;
    bool ordered = false;
    bool cancellable = false;
    unsigned members = 1;
    Batch* batches = nullptr;            // stealing: one per member; null: the loop cannot use stealing
    Batch* shares = nullptr;             // affinity: one per member; null: not usable, or nodes do not matter
    void* reductions = nullptr;          // the task reductions of the first member: task/reduction.h
    void* memory = nullptr;              // zeroed memory that the members share, or null
    DoacrossNest* nest_object = nullptr; // the object of the first member: doacross_nest.h
    Doacross* doacross = nullptr;        // cross-iteration dependences; null if the construct has none,
                                         // or has only one member and nothing is recorded
    std::uint64_t id = 0;                // recording: the construct's id
    const void* code = nullptr;          // for a tool: the code address of the construct
    unsigned nest = 0;                   // number of loops of the doacross nest
    bool sections = false;               // for a tool: the construct is sections, not a loop
    bool divided_by_program = false;     // for a tool: the runtime does not know the iterations

    // Any member may change these.
    alignas(base::kCacheLine) std::atomic<std::uint64_t> next{
        0}; // dynamic, stealing: chunk number; guided: iteration number; affinity: attempts to take the last chunk
    sync::OrderedTurn turn;

    // The chain. `behind` counts the members that have not met the successor. `inside` counts the
    // members that have not left, if `memory` or `doacross` must be freed.
    alignas(base::kCacheLine) std::atomic<std::uintptr_t> successor{0}; // a WorkShare, kNone or kBeingCreated
    std::atomic<std::uint32_t> behind{0};
    std::atomic<std::uint32_t> inside{0};
    std::atomic<bool> cancelled{false}; // cancel.h
    sync::WaitWord opened;              // for members that wait until this construct (only the
                                        // first) or its successor opens
    std::atomic<std::uint64_t> tag{Tag::kNone};
    WorkShare* predecessor = nullptr; // valid until this construct opens; null: it is the first
    WorkShare* next_spare = nullptr;  // the next in a list of the ring
    Ring* ring = nullptr;

    static constexpr std::uintptr_t kNone = 0, kBeingCreated = 1;
};

// Returns the schedule object of a construct with one of the affinity schedules.
inline AffinitySchedule affinity_schedule(WorkShare& share) {
    return {share.next,
            share.shares,
            {share.iterations.count, share.chunk, share.members, share.schedule == Schedule::affinity_guided}};
}

struct Entry {
    WorkShare& share;
    bool first; // true: the caller sets the construct up and calls open
};

// Called when the calling member meets its next construct. Returns the construct, and whether the
// member is the first to meet it. Waits if another member is setting it up.
Entry enter(team::Worker& worker);

// Claims construct number 0 of a region whose members have not started yet. They enter it later, as
// members that follow.
WorkShare& claim_first(team::Team& team);

// Opens the construct to the other members. Called by the first member, or by the caller of
// claim_first, after it has set the construct up.
void open(WorkShare& share);

// Called when the calling member has done its part of its current construct. No effect if the
// member is in no construct.
void leave(team::Worker& worker);

// Frees `memory` and `doacross` of the construct.
void free_extras(WorkShare& share);

// Allocates the zeroed memory that the members of the construct share. Called by the first member,
// before open.
void allocate_memory(WorkShare& share, std::size_t bytes);

// The parameters of waits inside work-sharing. `spins`: the number of checks before a waiter
// sleeps. `look_again_ns`: the interval, in nanoseconds, at which a sleeper checks whether the
// construct was given up. It is 0 (never) unless the process allows cancellation, because the
// waiter is not notified of cancellations.
unsigned spins(const team::Team& team);
std::uint64_t look_again_ns();

// Returns true if the construct or the region is cancelled. Then other members may have left before
// their chunks were done.
inline bool given_up(const WorkShare& share, const team::Team& team) {
    return share.cancelled.load(std::memory_order_relaxed) || team.cancelled.load(std::memory_order_relaxed);
}

// Called in a forked child, in which the calling thread is the only member of its constructs. The
// thread is in at most one construct of its innermost team, and in at most one construct of each
// team around a team that it leads. From then on it always has the turn in an ordered loop, and
// waits for no iterations of other members, because no other member exists. It meets later
// constructs as the only member. Must be called before region::forget_other_threads, which makes
// the thread number 0 of its team.
void go_on_alone(team::Worker& worker);

} // namespace teff::loop
