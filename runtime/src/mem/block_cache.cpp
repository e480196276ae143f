// SPDX-License-Identifier: Apache-2.0
#include "mem/block_cache.h"

#include <atomic>
#include <cerrno>
#include <new>
#include <sys/mman.h>

#include "base/report.h"
#include "sync/mutex.h"

namespace teff::mem {

namespace {

// The process's store of free blocks of one size: batches, each a list.
class Depot {
  public:
    void put(FreeBlock* batch) TEFF_EXCLUDES(lock_) {
        const sync::MutexGuard guard(lock_);
        batch->next_batch = batches_;
        batches_ = batch;
    }

    // A batch of any length, or null.
    FreeBlock* take() TEFF_EXCLUDES(lock_) {
        const sync::MutexGuard guard(lock_);
        FreeBlock* batch = batches_;
        if (batch != nullptr) batches_ = batch->next_batch;
        return batch;
    }

    // After a fork. Each list is changed by one store, so it is whole, whatever its lock's holder was about to do.
    void unlock_by_force() { ::new (&lock_) sync::Mutex; }

  private:
    sync::Mutex lock_;
    FreeBlock* batches_ TEFF_GUARDED_BY(lock_) = nullptr;
};

constinit Depot depots[kBlockSizes];
std::atomic<std::size_t> bytes_mapped{0};

// Fresh memory for `count` blocks, as a list.
FreeBlock* map_blocks(std::size_t block_bytes, unsigned count) {
    const std::size_t bytes = block_bytes * count;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) base::fatal(errno, "no memory for %u task blocks of %zu bytes", count, block_bytes);
    bytes_mapped.fetch_add(bytes, std::memory_order_relaxed);
    FreeBlock* list = nullptr;
    for (unsigned i = count; i-- > 0;)
        list = ::new (static_cast<char*>(memory) + i * block_bytes) FreeBlock{list, nullptr};
    return list;
}

unsigned length_of(const FreeBlock* list) {
    unsigned length = 0;
    for (; list != nullptr; list = list->next)
        ++length;
    return length;
}

} // namespace

FreeBlock* BlockCache::refill(BlockSize size) {
    const auto index = static_cast<unsigned>(size);
    List& list = lists_[index];
    list.head = depots[index].take();
    if (list.head == nullptr) list.head = map_blocks(kBlockBytes[index], kBatch);
    list.length = length_of(list.head);
    return list.head;
}

void BlockCache::hand_over(BlockSize size) {
    const auto index = static_cast<unsigned>(size);
    List& list = lists_[index];
    FreeBlock* batch = list.head;
    FreeBlock* last = batch;
    for (unsigned i = 1; i < kBatch; ++i)
        last = last->next;
    list.head = last->next;
    list.length -= kBatch;
    last->next = nullptr;
    depots[index].put(batch);
}

void BlockCache::hand_over_all() {
    for (unsigned index = 0; index < kBlockSizes; ++index) {
        if (lists_[index].head != nullptr) depots[index].put(lists_[index].head);
        lists_[index] = {};
    }
}

void forget_other_threads() {
    for (Depot& depot : depots)
        depot.unlock_by_force();
}

std::size_t block_bytes_mapped() { return bytes_mapped.load(std::memory_order_relaxed); }

} // namespace teff::mem
