// SPDX-License-Identifier: Apache-2.0
#include "loop/work_share.h"

#include <cerrno>
#include <cstdlib>

#include "base/report.h"
#include "icv/icv.h"
#include "idle/limits.h"
#include "loop/ring.h"
#include "team/worker.h"

namespace teff::loop {

namespace {

void prepare(WorkShare& share, unsigned members, WorkShare* predecessor) {
    free_extras(share);
    share.members = members;
    share.reductions = nullptr;
    share.ordered = false;
    share.cancellable = icv::global().cancellation;
    share.predecessor = predecessor;
    share.successor.store(WorkShare::kNone,           // [share-3]
                          std::memory_order_relaxed); // open publishes these four
    share.behind.store(members, std::memory_order_relaxed);
    share.inside.store(members, std::memory_order_relaxed);
    share.cancelled.store(false, std::memory_order_relaxed);
}

void claim(Ring& ring, unsigned members) {
    ring.take_all_back();
    prepare(ring.first, members, nullptr);
}

// For a member that is alone, so no other thread accesses the record. Each construct replaces the
// previous one.
Entry enter_alone(Ring& ring, Tag mine, bool is_first) {
    WorkShare& share = ring.first;
    if (is_first && mine.is_in(kOpen, share.tag.load(std::memory_order_relaxed)))
        return {share, false}; // claim_first has set it up
    share.tag.store(mine.in(kSetup), std::memory_order_relaxed);
    prepare(share, 1, nullptr);
    return {share, true};
}

// The region's first construct.
Entry enter_first(const team::Team& team, Ring& ring, Tag mine) {
    WorkShare& share = ring.first;
    std::uint64_t seen = share.tag.load(std::memory_order_acquire); // [share-2]
    if (!mine.same_region(seen) && share.tag.compare_exchange_strong(seen, mine.in(kSetup), std::memory_order_acquire,
                                                                     std::memory_order_relaxed)) {
        claim(ring, team.size);
        return {share, true};
    }
    share.opened.wait_until(spins(team), 0,
                            [&] { return mine.is_in(kOpen, share.tag.load(std::memory_order_acquire)); }); // [share-2]
    return {share, false};
}

// The calling member has met the successor of `share`.
void move_on(WorkShare& share) {
    if (share.behind.fetch_sub(1, std::memory_order_acq_rel) == 1) share.ring->give_back(share); // [share-1]
}

TEFF_COLD void wait_for_successor(const team::Team& team, WorkShare& share) {
    share.opened.wait_until(spins(team), 0, [&] {
        return share.successor.load(std::memory_order_acquire) != WorkShare::kBeingCreated; // [share-2]
    });
}

// HOT loop_nowait: one load and one read-modify-write for a member that follows.
Entry enter_successor(const team::Team& team, Ring& ring, WorkShare& before) {
    std::uintptr_t found = before.successor.load(std::memory_order_acquire); // [share-2]
    if (found == WorkShare::kNone &&
        before.successor.compare_exchange_strong(found, WorkShare::kBeingCreated, std::memory_order_acquire,
                                                 std::memory_order_acquire)) { // [share-3]
        WorkShare& share = ring.take();
        prepare(share, team.size, &before);
        return {share, true};
    }
    if (TEFF_UNLIKELY(found == WorkShare::kBeingCreated)) {
        wait_for_successor(team, before);
        found = before.successor.load(std::memory_order_acquire); // [share-2]
    }
    move_on(before);
    return {*reinterpret_cast<WorkShare*>(found), false};
}

Entry enter_next(team::Member& member, Ring& ring) {
    const team::Team& team = *member.team;
    const bool is_first = member.loop.sequence++ == 0;
    const Tag mine(team.region_serial);
    if (team.size == 1) return enter_alone(ring, mine, is_first);
    WorkShare*& met = ring.followers[member.number].met;
    const Entry entry = is_first ? enter_first(team, ring, mine) : enter_successor(team, ring, *met);
    met = &entry.share;
    return entry;
}

} // namespace

Entry enter(team::Worker& worker) {
    team::Member& member = *worker.member;
    const Entry entry = enter_next(member, ring_of(*member.team));
    member.loop.current = &entry.share;
    member.loop.static_trip = 0;
    member.loop.took_last = false;
    member.loop.ordered_count = 0;
    return entry;
}

WorkShare& claim_first(team::Team& team) {
    Ring& ring = ring_of(team);
    ring.first.tag.store(Tag(team.region_serial).in(kSetup),
                         std::memory_order_relaxed); // no member reads it yet
    claim(ring, team.size);
    return ring.first;
}

void open(WorkShare& share) {
    WorkShare* before = share.predecessor;
    if (before == nullptr) {
        share.tag.fetch_add(kOpen - kSetup, std::memory_order_release); // [share-2]
        if (share.members > 1) share.opened.notify();
        return;
    }
    before->successor.store(reinterpret_cast<std::uintptr_t>(&share),
                            std::memory_order_release); // [share-2]
    before->opened.notify();
    move_on(*before);
}

void leave(team::Worker& worker) {
    WorkShare* share = worker.member->loop.current;
    if (share == nullptr) return;
    worker.member->loop.current = nullptr;
    if (TEFF_LIKELY(share->memory == nullptr && share->doacross == nullptr)) return;
    if (share->inside.fetch_sub(1, std::memory_order_acq_rel) == 1)
        free_extras(*share); // the others have released it [share-1]
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

unsigned spins(const team::Team& team) { return idle::looks(team.may_spin); }

std::uint64_t look_again_ns() { return icv::global().cancellation ? idle::kLookAgain_ns : 0; }

namespace {

void make_alone(WorkShare& share, bool other_number) {
    share.ordered = false;
    share.turn.forget_names();
    share.doacross = nullptr; // not freed: the member may be in the middle of a chunk
    // The thread's number determines its chunks. Under another number, the thread stops after its
    // current chunk.
    if (other_number && share.schedule == Schedule::static_) share.iterations.count = 0;
}

void go_on_alone(team::Member& member) {
    team::Team& team = *member.team;
    if (team.size == 1) return;
    const bool other_number = member.number != 0;
    if (WorkShare* current = member.loop.current) make_alone(*current, other_number);
    // A combined construct that the member has not entered yet. If the construct is open, the
    // member enters it as a member that is alone.
    else if (team.ring != nullptr && member.loop.sequence == 0) make_alone(team.ring->first, false);
    member.loop.ordered_count = 0;
}

} // namespace

void go_on_alone(team::Worker& worker) {
    for (team::Member* place = worker.member; place != nullptr; place = team::place_around(*place))
        go_on_alone(*place);
}

} // namespace teff::loop
