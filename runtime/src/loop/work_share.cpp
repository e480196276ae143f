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

// Waits until the member that claimed the construct has set it up.
void wait_until_open(const team::Team& team, WorkShare& share, Tag mine) {
    share.opened.wait_until(spins(team), 0,
                            [&] { return mine.is_in(kOpen, share.tag.load(std::memory_order_acquire)); }); // [share-2]
}

Claimed try_claim(Ring& ring, WorkShare& slot, Tag mine) {
    std::uint64_t seen = slot.tag.load(std::memory_order_acquire); // [share-2]
    if (mine.same_construct(seen)) return {&slot, false};
    if (!mine.may_replace(seen)) return ring.claim_slow(slot, mine);
    if (slot.tag.compare_exchange_strong(seen, mine.in(kSetup), std::memory_order_acquire,
                                         std::memory_order_relaxed)) // [share-1]
        return {&slot, true};
    return {nullptr, false};
}

Claimed claim(const team::Team& team, Ring& ring, WorkShare& slot, Tag mine) {
    Claimed claimed = try_claim(ring, slot, mine);
    while (claimed.share == nullptr)
        claimed = try_claim(ring, slot, mine);
    if (!claimed.first) wait_until_open(team, *claimed.share, mine);
    return claimed;
}

// Nobody else looks.
Claimed claim_alone(WorkShare& slot, Tag mine) {
    if (mine.is_in(kOpen, slot.tag.load(std::memory_order_relaxed))) return {&slot, false}; // claim_first was here
    slot.tag.store(mine.in(kSetup), std::memory_order_relaxed);
    return {&slot, true};
}

void prepare(WorkShare& share, unsigned members) {
    free_extras(share);
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
    WorkShare& slot = ring.slots[sequence % Ring::kSlots];
    const Tag mine(team.region_serial, sequence / Ring::kSlots);
    const Claimed claimed = team.size == 1 ? claim_alone(slot, mine) : claim(team, ring, slot, mine);
    if (claimed.first) prepare(*claimed.share, team.size);
    member.loop.current = claimed.share;
    member.loop.static_trip = 0;
    member.loop.ordered_count = 0;
    return {*claimed.share, claimed.first};
}

WorkShare& claim_first(team::Team& team) {
    WorkShare& share = ring_of(team).slots[0];
    share.tag.store(Tag(team.region_serial, 0).in(kSetup), std::memory_order_relaxed); // no member looks yet
    prepare(share, team.size);
    return share;
}

void open(WorkShare& share) {
    share.tag.fetch_add(kOpen - kSetup,
                        std::memory_order_release); // [share-2]; not a store: `spilled` may be set meanwhile
    if (share.members > 1) share.opened.notify();
}

void leave(team::Worker& worker) {
    WorkShare* share = worker.member->loop.current;
    if (share == nullptr) return;
    worker.member->loop.current = nullptr;
    if (share->members > 1 && share->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return; // [share-1]
    free_extras(*share);
    if (TEFF_UNLIKELY(share->overflow != nullptr)) return ring_of(*worker.member->team).give_back(*share);
    share->tag.fetch_and(~Tag::kPhaseMask, std::memory_order_release); // [share-1]; keeps `spilled`
}

void free_extras(WorkShare& share) {
    if (TEFF_LIKELY(share.memory == nullptr && share.doacross == nullptr)) return;
    std::free(share.memory);
    std::free(share.doacross); // a plain block
    share.memory = nullptr;
    share.doacross = nullptr;
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
