// SPDX-License-Identifier: Apache-2.0
#include "loop/ring.h"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <new>

#include "base/report.h"

namespace teff::loop {

namespace {

void* allocate(std::size_t bytes) {
    void* block = std::aligned_alloc(base::kCacheLine, bytes);
    if (block == nullptr) base::fatal(errno, "no memory for work-sharing constructs (%zu bytes)", bytes);
    return block;
}

void free_list(WorkShare* list) {
    while (list != nullptr) {
        WorkShare* next = list->next_overflow;
        free_extras(*list);
        std::free(list);
        list = next;
    }
}

void nap() {
    constexpr timespec kHundredMicroseconds{0, 100'000};
    nanosleep(&kHundredMicroseconds, nullptr);
}

TEFF_COLD Ring& replace_ring(team::Team& team, Ring* old) {
    Ring* made = make_ring(team.capacity > team.size ? team.capacity : team.size);
    // [ring-1] release: whoever finds the ring finds it made. The old one was too small for this region, so nobody is in it.
    if (std::atomic_ref(team.ring).compare_exchange_strong(old, made, std::memory_order_acq_rel,
                                                           std::memory_order_acquire)) {
        if (old != nullptr) free_ring(old);
        return *made;
    }
    free_ring(made);
    return *old;
}

} // namespace

// One block: the ring, then the batches of all slots.
Ring* make_ring(unsigned team_capacity) {
    const std::size_t batches = std::size_t{Ring::kSlots} * team_capacity;
    char* block = static_cast<char*>(allocate(sizeof(Ring) + batches * sizeof(Batch)));
    Ring* ring = new (block) Ring;
    auto* batch = reinterpret_cast<Batch*>(block + sizeof(Ring));
    for (std::size_t i = 0; i < batches; ++i)
        new (batch + i) Batch;
    ring->capacity = team_capacity;
    for (WorkShare& slot : ring->slots) {
        slot.batches = batch;
        batch += team_capacity;
    }
    return ring;
}

void free_ring(Ring* ring) {
    for (WorkShare& slot : ring->slots)
        free_extras(slot);
    {
        sync::MutexGuard guard(ring->lock);
        for (auto& round : ring->overflow)
            for (Overflow& list : round)
                free_list(list.take_all());
        free_list(ring->spares);
    }
    std::free(ring);
}

Ring& ring_of(team::Team& team) {
    Ring* ring = std::atomic_ref(team.ring).load(std::memory_order_acquire); // [ring-1]
    if (TEFF_LIKELY(ring != nullptr && ring->capacity >= team.size)) return *ring;
    return replace_ring(team, ring);
}

bool Ring::is_far_ahead(const WorkShare& slot, Tag mine) {
    sync::MutexGuard guard(lock);
    const Overflow& list = overflow_for(slot, mine);
    return list.length() >= kFarAhead && list.is_ahead(mine);
}

Claimed Ring::claim_slow(WorkShare& slot, Tag mine) {
    if (TEFF_UNLIKELY(is_far_ahead(slot, mine))) nap();
    sync::MutexGuard guard(lock);
    Overflow& list = overflow_for(slot, mine);
    put_spares_locked(list.take_stale(mine));
    if (WorkShare* found = list.find(mine)) return {found, false};
    std::uint64_t seen = slot.tag.load(std::memory_order_relaxed);
    if (mine.same_construct(seen) || mine.may_replace(seen)) return {nullptr, false}; // it has changed since
    const bool in_use = (seen & Tag::kPhaseMask) != kFree;
    const std::uint64_t wanted = in_use ? seen | Tag::kSpilled : mine.in(kSetup);
    if (!slot.tag.compare_exchange_strong(seen, wanted, std::memory_order_acquire,
                                          std::memory_order_relaxed)) // [share-1] [share-3]
        return {nullptr, false};
    if (!in_use) return {&slot, true};
    WorkShare& share = take_spare_locked();
    share.tag.store(mine.in(kSetup), std::memory_order_relaxed); // the lock publishes it
    list.add(share);
    return {&share, true};
}

void Ring::give_back(WorkShare& share) {
    sync::MutexGuard guard(lock);
    share.overflow->remove(share);
    share.next_overflow = nullptr;
    put_spares_locked(&share);
}

WorkShare& Ring::take_spare_locked() {
    WorkShare* share = spares;
    if (share == nullptr) return *new (allocate(sizeof(WorkShare))) WorkShare;
    spares = share->next_overflow;
    return *share;
}

void Ring::put_spares_locked(WorkShare* list) {
    while (list != nullptr) {
        WorkShare* next = list->next_overflow;
        list->next_overflow = spares;
        spares = list;
        list = next;
    }
}

} // namespace teff::loop
