// SPDX-License-Identifier: Apache-2.0
#include "loop/work_share.h"

#include <cerrno>
#include <cstdlib>

#include "base/report.h"
#include "icv/icv.h"
#include "loop/ring.h"
#include "team/worker.h"

namespace teff::loop {

namespace {

enum Phase : std::uint64_t { kFree = 0, kSetup = 1, kOpen = 2, kPhaseMask = 3 };

// What a slot's tag holds: region (40 bits), round of the ring (22 bits), phase (2 bits). A slot is at most one round behind within a
// region, and 2^40 regions of one team take longer than any program runs: equal tags mean the same construct.
class Tag {
  public:
    Tag(std::uint64_t region, std::uint64_t round) : bits_(region << kRegionShift | (round << 2 & kRoundMask)) {}

    std::uint64_t in(Phase phase) const { return bits_ | phase; }

    // May the construct take a slot with this tag?
    bool may_follow(std::uint64_t seen) const {
        return (seen & kPhaseMask) == kFree || seen >> kRegionShift != bits_ >> kRegionShift;
    }

  private:
    static constexpr unsigned kRegionShift = 24;
    static constexpr std::uint64_t kRoundMask = (std::uint64_t{1} << kRegionShift) - 1 - kPhaseMask;

    std::uint64_t bits_;
};

enum class Claim : std::uint8_t { first, follower, region_cancelled };

// Waits for the slot to leave the state `seen`. False: the region was cancelled and it may stay so for ever.
bool wait_for_change(const team::Team& team, WorkShare& slot, std::uint64_t seen) {
    bool changed = false;
    slot.changed.wait_until(spins(team), look_again_ns(), [&] {
        changed = slot.tag.load(std::memory_order_relaxed) != seen;
        return changed || region_cancelled(team);
    });
    return changed;
}

Claim claim(const team::Team& team, WorkShare& slot, Tag mine) {
    for (;;) {
        std::uint64_t seen = slot.tag.load(std::memory_order_acquire); // [share-2]
        if (seen == mine.in(kOpen)) return Claim::follower;
        if (seen != mine.in(kSetup) && mine.may_follow(seen)) {
            if (slot.tag.compare_exchange_strong(seen, mine.in(kSetup), std::memory_order_acquire,
                                                 std::memory_order_relaxed)) // [share-1]
                return Claim::first;
            continue;
        }
        // A member between claim and open always opens, cancelled or not; only a ring that is full may stay so.
        if (!wait_for_change(team, slot, seen) && seen != mine.in(kSetup)) return Claim::region_cancelled;
    }
}

// Nobody else looks.
Claim claim_alone(WorkShare& slot, Tag mine) {
    if (slot.tag.load(std::memory_order_relaxed) == mine.in(kOpen)) return Claim::follower; // claim_first was here
    slot.tag.store(mine.in(kSetup), std::memory_order_relaxed);
    return Claim::first;
}

void free_memory(WorkShare& share) {
    if (TEFF_LIKELY(share.memory == nullptr)) return;
    std::free(share.memory);
    share.memory = nullptr;
}

void prepare(WorkShare& share, unsigned members) {
    free_memory(share);
    share.members = members;
    share.reductions = nullptr;
    share.ordered = false;
    share.cancellable = icv::global().cancellation;
    share.users.store(members, std::memory_order_relaxed); // open publishes it
}

} // namespace

Entry enter(team::Worker& worker) {
    team::Member& member = *worker.member;
    team::Team& team = *member.team;
    Ring& ring = ring_of(team);
    const std::uint64_t sequence = member.loop.sequence++;
    WorkShare* share = &ring.slots[sequence % Ring::kSlots];
    const Tag mine(team.region_serial, sequence / Ring::kSlots);
    const Claim outcome = team.size == 1 ? claim_alone(*share, mine) : claim(team, *share, mine);
    if (TEFF_UNLIKELY(outcome == Claim::region_cancelled)) share = &ring.abandoned[member.number];
    if (outcome != Claim::follower) prepare(*share, share->abandoned ? 1 : team.size);
    member.loop.current = share;
    member.loop.static_trip = 0;
    member.loop.ordered_count = 0;
    return {*share, outcome != Claim::follower};
}

WorkShare& claim_first(team::Team& team) {
    WorkShare& share = ring_of(team).slots[0];
    share.tag.store(Tag(team.region_serial, 0).in(kSetup), std::memory_order_relaxed); // no member looks yet
    prepare(share, team.size);
    return share;
}

void open(const team::Team& team, WorkShare& share) {
    const std::uint64_t setup = share.tag.load(std::memory_order_relaxed);
    share.tag.store((setup & ~kPhaseMask) | kOpen, std::memory_order_release); // [share-2]
    if (team.size > 1) share.changed.notify();
}

void leave(team::Worker& worker) {
    WorkShare* share = worker.member->loop.current;
    if (share == nullptr) return;
    worker.member->loop.current = nullptr;
    const bool alone = share->members == 1;
    if (!alone && share->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return; // [share-1]
    free_memory(*share);
    const std::uint64_t open_tag = share->tag.load(std::memory_order_relaxed);
    share->tag.store((open_tag & ~kPhaseMask) | kFree, std::memory_order_release); // [share-1]
    if (!alone) share->changed.notify();
}

void allocate_memory(WorkShare& share, std::size_t bytes) {
    share.memory = std::calloc(1, bytes);
    if (share.memory == nullptr && bytes != 0)
        base::fatal(errno, "no memory for %zu bytes that a work-sharing construct shares", bytes);
}

unsigned spins(const team::Team& team) {
    constexpr unsigned kWhenCrowded = 10, kWhenNot = 300; // a look takes a few tens of nanoseconds
    return team.may_spin ? kWhenNot : kWhenCrowded;
}

std::uint64_t look_again_ns() {
    constexpr std::uint64_t kOneMillisecond = 1'000'000;
    return icv::global().cancellation ? kOneMillisecond : 0;
}

} // namespace teff::loop
