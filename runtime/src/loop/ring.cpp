// SPDX-License-Identifier: Apache-2.0
#include "loop/ring.h"

#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/report.h"

namespace teff::loop {

// The first block's WorkShares have batches for the stealing schedule, or shares for the affinity
// schedule; more are in use only if a member is far ahead of the others.
struct Ring::Block {
    Block* next = nullptr;
    WorkShare shares[kPerBlock];
};

namespace {

void* allocate(std::size_t bytes) {
    void* block = std::aligned_alloc(base::kCacheLine, bytes);
    if (block == nullptr) base::fatal(errno, "no memory for work-sharing constructs (%zu bytes)", bytes);
    return block;
}

template <class T> T* allocate_array(std::size_t length) {
    auto* array = static_cast<T*>(allocate(length * sizeof(T)));
    for (std::size_t i = 0; i < length; ++i)
        new (array + i) T;
    return array;
}

Batch* batches_of(const WorkShare& share) { return share.batches != nullptr ? share.batches : share.shares; }

TEFF_COLD Ring& replace_ring(team::Team& team, Ring* old) {
    Ring* made = make_ring(team.capacity > team.size ? team.capacity : team.size, team.ready.knows_homes());
    made->replaced = old;
    // [ring-1] release: a thread that finds the ring also sees its contents. The old ring was too
    // small for this region, so no member uses it.
    if (std::atomic_ref(team.ring).compare_exchange_strong(old, made, std::memory_order_acq_rel,
                                                           std::memory_order_acquire))
        return *made; // [ring-1]
    made->replaced = nullptr;
    free_ring(made);
    return *old;
}

} // namespace

Ring* make_ring(unsigned team_capacity, bool by_node) {
    Ring* ring = new (allocate(sizeof(Ring))) Ring;
    ring->capacity = team_capacity;
    ring->followers = allocate_array<Follower>(team_capacity);
    ring->first.ring = ring;
    ring->by_node = by_node;
    (by_node ? ring->first.shares : ring->first.batches) = allocate_array<Batch>(team_capacity);
    return ring;
}

void free_ring(Ring* ring) {
    if (ring->replaced != nullptr) free_ring(ring->replaced);
    free_extras(ring->first);
    ring->free_blocks();
    std::free(batches_of(ring->first));
    std::free(ring->followers);
    std::free(ring);
}

Ring& ring_of(team::Team& team) {
    Ring* ring = std::atomic_ref(team.ring).load(std::memory_order_acquire); // [ring-1]
    if (TEFF_LIKELY(ring != nullptr && ring->capacity >= team.size)) return *ring;
    return replace_ring(team, ring);
}

WorkShare& Ring::take() {
    if (spares_ == nullptr) spares_ = returned_.exchange(nullptr, std::memory_order_acquire); // [ring-2]
    WorkShare* share = spares_;
    if (TEFF_UNLIKELY(share == nullptr)) return take_from_block();
    spares_ = share->next_spare;
    return *share;
}

void Ring::give_back(WorkShare& share) {
    if (&share == &first) return;
    WorkShare* head = returned_.load(std::memory_order_relaxed);
    do {
        share.next_spare = head;
    } while (!returned_.compare_exchange_weak(head, &share, std::memory_order_release,
                                              std::memory_order_relaxed)); // [ring-2]
}

void Ring::take_all_back() {
    spares_ = nullptr;
    returned_.store(nullptr,
                    std::memory_order_relaxed); // the region's start orders it
    filling_ = blocks_;
    handed_out_ = 0;
}

WorkShare& Ring::take_from_block() {
    if (filling_ == nullptr) filling_ = blocks_ = make_block();
    if (handed_out_ == kPerBlock) {
        if (filling_->next == nullptr) filling_->next = make_block();
        filling_ = filling_->next;
        handed_out_ = 0;
    }
    return filling_->shares[handed_out_++];
}

Ring::Block* Ring::make_block() {
    auto* block = new (allocate(sizeof(Block))) Block;
    for (WorkShare& share : block->shares)
        share.ring = this;
    if (blocks_ != nullptr) return block;
    auto* batches = allocate_array<Batch>(std::size_t{kPerBlock} * capacity);
    for (WorkShare& share : block->shares) {
        (by_node ? share.shares : share.batches) = batches;
        batches += capacity;
    }
    return block;
}

void Ring::free_blocks() {
    if (blocks_ != nullptr) std::free(batches_of(blocks_->shares[0]));
    while (blocks_ != nullptr) {
        Block* next = blocks_->next;
        for (WorkShare& share : blocks_->shares)
            free_extras(share);
        std::free(blocks_);
        blocks_ = next;
    }
}

} // namespace teff::loop
