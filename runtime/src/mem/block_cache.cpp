// SPDX-License-Identifier: Apache-2.0
#include "mem/block_cache.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <utility>

#include "base/cache_line.h"
#include "base/report.h"
#include "sync/mutex.h"

namespace teff::mem {

namespace {

// The number of full batches of a size that a worker keeps: some tens of kilobytes.
constexpr unsigned kKept = 4;
// The number of blocks in a worker's first batch. The first batches of several workers share pages:
// many workers need only a few blocks, and a full batch would cost each worker a system call and
// some page faults.
constexpr unsigned kFirstBatch = 8;
static_assert(Batches::kMost % kFirstBatch == 0);

std::atomic<std::size_t> bytes_mapped{0};

// Maps the memory of a batch. Returns null if there is no memory.
char* map_blocks(std::size_t block_bytes) {
    const std::size_t bytes = block_bytes * Batches::kMost;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    bytes_mapped.fetch_add(bytes, std::memory_order_relaxed);
    return static_cast<char*>(memory);
}

Batches::Batch make_batch(char* memory, std::size_t block_bytes, unsigned length) {
    FreeBlock* list = nullptr;
    for (unsigned i = length; i-- > 0;)
        list = ::new (memory + i * block_bytes) FreeBlock{list, 0};
    return {list, length};
}

Batches::Batch map_batch(std::size_t block_bytes) {
    char* const memory = map_blocks(block_bytes);
    return memory != nullptr ? make_batch(memory, block_bytes, Batches::kMost) : Batches::Batch{};
}

// Makes a batch of one block from malloc's memory. If the process may not map more memory, malloc
// may still have memory that it mapped earlier. Ends the program if malloc has none.
Batches::Batch single_block(std::size_t block_bytes) {
    void* const memory = std::aligned_alloc(base::kCacheLine, block_bytes);
    if (memory == nullptr) base::fatal(ENOMEM, "no memory for a task block of %zu bytes", block_bytes);
    bytes_mapped.fetch_add(block_bytes, std::memory_order_relaxed);
    return make_batch(static_cast<char*>(memory), block_bytes, 1);
}

// The process's store of free blocks of one size.
class Depot {
  public:
    void put(Batches::Batch batch) TEFF_EXCLUDES(lock_) {
        const sync::MutexGuard guard(lock_);
        batches_.push(batch);
    }

    // Takes a batch out. Returns an empty batch if there is none.
    Batches::Batch take() TEFF_EXCLUDES(lock_) {
        const sync::MutexGuard guard(lock_);
        return batches_.pop();
    }

    // Takes a worker's first batch out. Returns an empty batch if there is no memory.
    Batches::Batch take_first(std::size_t block_bytes) TEFF_EXCLUDES(lock_) {
        const sync::MutexGuard guard(lock_);
        if (const Batches::Batch batch = batches_.pop(); batch.head != nullptr) return batch;
        if (unused_ == 0) {
            fresh_ = map_blocks(block_bytes);
            if (fresh_ == nullptr) return {};
            unused_ = Batches::kMost;
        }
        unused_ -= kFirstBatch;
        return make_batch(fresh_ + unused_ * block_bytes, block_bytes, kFirstBatch);
    }

    // Makes the lock new. Called after a fork. The list is intact even if the lock's holder was
    // changing it, because each change of the list is a single store. Unused blocks are abandoned.
    void unlock_by_force() {
        ::new (&lock_) sync::Mutex;
        const sync::MutexGuard guard(lock_);
        unused_ = 0;
    }

  private:
    sync::Mutex lock_;
    Batches batches_ TEFF_GUARDED_BY(lock_);
    char* fresh_ TEFF_GUARDED_BY(lock_) = nullptr; // memory of `unused_` blocks that were never taken
    unsigned unused_ TEFF_GUARDED_BY(lock_) = 0;
};

constinit Depot depots[kBlockSizes];

} // namespace

FreeBlock* BlockCache::refill(BlockSize size) {
    const auto index = static_cast<unsigned>(size);
    List& list = lists_[index];
    const std::size_t bytes = kBlockBytes[index];
    list.open = list.full.pop();
    if (list.open.head != nullptr) --list.full_count;
    else if (!std::exchange(list.has_begun, true)) list.open = depots[index].take_first(bytes);
    else list.open = depots[index].take();
    if (list.open.head == nullptr) list.open = map_batch(bytes);
    if (TEFF_UNLIKELY(list.open.head == nullptr)) list.open = single_block(bytes);
    return list.open.head;
}

void BlockCache::set_aside(BlockSize size) {
    const auto index = static_cast<unsigned>(size);
    List& list = lists_[index];
    if (list.full_count == kKept) {
        depots[index].put(list.open);
    } else {
        list.full.push(list.open);
        ++list.full_count;
    }
    list.open = {};
}

void BlockCache::hand_over_all() {
    for (unsigned index = 0; index < kBlockSizes; ++index) {
        List& list = lists_[index];
        if (list.open.head != nullptr) list.full.push(list.open);
        for (Batches::Batch batch = list.full.pop(); batch.head != nullptr; batch = list.full.pop())
            depots[index].put(batch);
        list = {};
    }
}

void forget_other_threads() {
    for (Depot& depot : depots)
        depot.unlock_by_force();
}

std::size_t block_bytes_mapped() { return bytes_mapped.load(std::memory_order_relaxed); }

} // namespace teff::mem
