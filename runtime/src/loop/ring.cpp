// SPDX-License-Identifier: Apache-2.0
#include "loop/ring.h"

#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/report.h"
#include "icv/icv.h"

namespace teff::loop {

namespace {

// Ring, then the batches of all slots, then the abandoned WorkShares: one block, every part a multiple of a cache line.
struct Layout {
    explicit Layout(unsigned team_capacity, bool cancellation)
        : batches_at(sizeof(Ring)), abandoned_at(batches_at + sizeof(Batch) * Ring::kSlots * team_capacity),
          bytes(abandoned_at + (cancellation ? sizeof(WorkShare) * team_capacity : 0)) {}

    std::size_t batches_at, abandoned_at, bytes;
};

Batch* make_batches(void* at, unsigned count) {
    auto* batches = static_cast<Batch*>(at);
    for (unsigned i = 0; i < count; ++i)
        new (batches + i) Batch;
    return batches;
}

WorkShare* make_abandoned(void* at, unsigned count) {
    auto* shares = static_cast<WorkShare*>(at);
    for (unsigned i = 0; i < count; ++i)
        (new (shares + i) WorkShare)->abandoned = true;
    return shares;
}

TEFF_COLD Ring& replace_ring(team::Team& team, Ring* old) {
    const unsigned capacity = team.capacity > team.size ? team.capacity : team.size;
    Ring* made = make_ring(capacity);
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

Ring* make_ring(unsigned team_capacity) {
    const bool cancellation = icv::global().cancellation;
    const Layout layout(team_capacity, cancellation);
    auto* block = static_cast<char*>(std::aligned_alloc(base::kCacheLine, layout.bytes));
    if (block == nullptr)
        base::fatal(errno, "no memory for the work-sharing constructs of a team of %u", team_capacity);
    Ring* ring = new (block) Ring{};
    ring->capacity = team_capacity;
    for (unsigned i = 0; i < Ring::kSlots; ++i)
        ring->slots[i].batches =
            make_batches(block + layout.batches_at + sizeof(Batch) * i * team_capacity, team_capacity);
    ring->abandoned = cancellation ? make_abandoned(block + layout.abandoned_at, team_capacity) : nullptr;
    return ring;
}

void free_ring(Ring* ring) {
    for (WorkShare& slot : ring->slots)
        std::free(slot.memory);
    for (unsigned i = 0; ring->abandoned != nullptr && i < ring->capacity; ++i)
        std::free(ring->abandoned[i].memory);
    std::free(ring);
}

Ring& ring_of(team::Team& team) {
    Ring* ring = std::atomic_ref(team.ring).load(std::memory_order_acquire); // [ring-1]
    if (TEFF_LIKELY(ring != nullptr && ring->capacity >= team.size)) return *ring;
    return replace_ring(team, ring);
}

} // namespace teff::loop
