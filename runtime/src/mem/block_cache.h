// SPDX-License-Identifier: Apache-2.0
//
// BlockCache: where tasks, taskgroups and dependence records live.
//
// Blocks come in a few sizes. Each worker has one BlockCache, which only its thread touches: taking
// and giving back a block is a pop and a push on a list. A block may be given back on another
// worker than took it; a cache that grows too long hands a batch of blocks to the Depot, and one
// that runs dry takes a batch from there (magazines, as in Bonwick and Adams, USENIX 2001), so
// memory that wanders from a producer to its consumers comes home, and its total stays near the
// high-water mark of blocks in use.
//
// Blocks are type-stable: once a task, always a task; what is no task has lists of its own
// (kRecord, and kDetachment, whose holders may look at them when they are free: beyond FreeBlock's
// links a free block stays as it was, and a new one is all zero). Memory is never unmapped. A thief
// that looks at a task while another worker takes and even recycles it reads an old or new value,
// never a foreign object (see task/descent.h).
//
// May block on the Depot's mutex once per batch. Not signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.h"

namespace teff::mem {

enum class BlockSize : std::uint8_t { k192, k320, k576, k1088, kRecord, kDetachment };
inline constexpr unsigned kTaskBlockSizes = 4; // those for tasks; kRecord is for whatever else lives in blocks
inline constexpr unsigned kBlockSizes = 6;
// Odd multiples of a cache line, so that the blocks of one size spread over all sets of a cache.
inline constexpr std::size_t kBlockBytes[kBlockSizes] = {192, 320, 576, 1088, 192, 64};

struct FreeBlock {
    FreeBlock* next;
    std::uintptr_t batch; // of a batch's first block: see Batches
};

// A list of batches of blocks, each batch a list of 1 to kMost blocks. Whole batches change hands
// without a look at their blocks, which are in another worker's cache, as likely as not.
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
    // Empty if there is none.
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
    // HOT producer.
    [[nodiscard]] void* take(BlockSize size) {
        List& list = lists_[static_cast<unsigned>(size)];
        FreeBlock* block = list.open.head;
        if (TEFF_UNLIKELY(block == nullptr)) block = refill(size);
        list.open.head = block->next;
        --list.open.length;
        __builtin_prefetch(block->next, 1); // it may be in another worker's cache
        return block;
    }

    // HOT producer.
    void give_back(void* memory, BlockSize size) {
        List& list = lists_[static_cast<unsigned>(size)];
        if (TEFF_UNLIKELY(list.open.length == Batches::kMost)) set_aside(size);
        auto* block = static_cast<FreeBlock*>(memory);
        block->next = list.open.head;
        list.open.head = block;
        ++list.open.length;
    }

    // The worker ends: everything goes to the Depot.
    void hand_over_all();

  private:
    struct List {
        Batches::Batch open; // blocks come from and go to this one
        Batches full;        // `full_count` of them
        unsigned full_count = 0;
        bool has_begun = false; // it has had its first batch, which is a small one
    };

    TEFF_COLD FreeBlock* refill(BlockSize size);
    TEFF_COLD void set_aside(BlockSize size);

    List lists_[kBlockSizes];
};

// In a forked child: whoever held a lock of the Depot is gone.
void forget_other_threads();

// How many bytes of blocks exist in the whole process, in use or free. For tests and statistics.
std::size_t block_bytes_mapped();

} // namespace teff::mem
