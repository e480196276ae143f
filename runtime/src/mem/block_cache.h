// SPDX-License-Identifier: Apache-2.0
//
// BlockCache: allocates the memory of tasks, taskgroups and dependence records.
//
// Blocks come in a few sizes. Each worker has one BlockCache, which only its thread accesses: a
// block is taken by a pop from a list and given back by a push. A worker may give back a block that
// another worker has taken. A cache with too many blocks hands a batch of blocks to the Depot, and
// an empty cache takes a batch from the Depot (magazines, as in Bonwick and Adams, USENIX 2001). So
// memory that moves from a producer to its consumers returns to the producer, and the total stays
// near the peak number of blocks in use.
//
// Blocks are type-stable: a block that has held a task never holds an object of another type. So if
// a thief looks at a task while another worker takes and even recycles it, the thief reads an old
// or a new value, never a foreign object (see task/descent.h). Blocks for other objects have
// separate lists: kRecord, kBigRecord and kDetachment. The holder of a stale handle may read a
// kDetachment block while the block is free, because a free block keeps its contents, except for
// FreeBlock's links, and a new block is all zero. Memory is never unmapped.
//
// The functions may block on the Depot's mutex, once per batch. They are not signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.h"

namespace teff::mem {

enum class BlockSize : std::uint8_t { k192, k320, k576, k1088, kRecord, kBigRecord, kDetachment };
inline constexpr unsigned kTaskBlockSizes = 4; // the first four sizes are for tasks, the others for other objects
inline constexpr unsigned kBlockSizes = 7;
// Bytes of each size. They are odd multiples of a cache line, so that the blocks of one size spread
// over all sets of a cache.
inline constexpr std::size_t kBlockBytes[kBlockSizes] = {192, 320, 576, 1088, 192, 1088, 64};

struct FreeBlock {
    FreeBlock* next;
    std::uintptr_t batch; // used in a batch's first block only: see Batches
};

// A list of batches; each batch is a list of 1 to kMost blocks. A whole batch is handed over
// without an access to its other blocks, because these are often in another processor's cache.
class Batches {
  public:
    static constexpr unsigned kMost = 64;

    struct Batch {
        FreeBlock* head = nullptr;
        unsigned length = 0;
    };

    void push(Batch batch) {
        batch.head->batch =
            reinterpret_cast<std::uintptr_t>(first_) | (batch.length - 1); // blocks start at multiples of 64
        first_ = batch.head;
    }
    // Takes a batch out. Returns an empty batch if there is none.
    Batch pop() {
        FreeBlock* head = first_;
        if (head == nullptr) return {};
        first_ = reinterpret_cast<FreeBlock*>(head->batch & ~std::uintptr_t{kMost - 1});
        return {head, static_cast<unsigned>(head->batch % kMost) + 1};
    }

  private:
    FreeBlock* first_ = nullptr;
};

class BlockCache {
  public:
    // HOT producer. Takes a block, which the caller owns. Never returns null.
    [[nodiscard]] void* take(BlockSize size) {
        List& list = lists_[static_cast<unsigned>(size)];
        FreeBlock* block = list.open.head;
        if (TEFF_UNLIKELY(block == nullptr)) block = refill(size);
        list.open.head = block->next;
        --list.open.length;
        __builtin_prefetch(block->next, 1); // it may be in another processor's cache
        return block;
    }

    // Returns true if `take` finds a block in this cache.
    bool has(BlockSize size) const { return lists_[static_cast<unsigned>(size)].open.head != nullptr; }
    // Returns true if `give_back` keeps the block in this cache.
    bool has_room(BlockSize size) const { return lists_[static_cast<unsigned>(size)].open.length != Batches::kMost; }

    // HOT producer. Gives back a block of this size.
    void give_back(void* memory, BlockSize size) {
        List& list = lists_[static_cast<unsigned>(size)];
        if (TEFF_UNLIKELY(list.open.length == Batches::kMost)) set_aside(size);
        auto* block = static_cast<FreeBlock*>(memory);
        block->next = list.open.head;
        list.open.head = block;
        ++list.open.length;
    }

    // Hands all blocks to the Depot. Called when the worker ends.
    void hand_over_all();

  private:
    struct List {
        Batches::Batch open; // blocks are taken from and given back to this batch
        Batches full;        // `full_count` of them
        unsigned full_count = 0;
        bool has_begun = false; // the list has had its first batch, which is smaller than others
    };

    TEFF_COLD FreeBlock* refill(BlockSize size);
    TEFF_COLD void set_aside(BlockSize size);

    List lists_[kBlockSizes];
};

// Makes the Depot's locks new. Called in a forked child, where the threads that held them no longer
// exist.
void forget_other_threads();

// Returns the total size in bytes of all blocks of the process, in use or free. For tests and
// statistics.
std::size_t block_bytes_mapped();

} // namespace teff::mem
