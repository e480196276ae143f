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

// The process's store of free blocks of one size.
class Depot {
  public:
    void put(Batches::Batch batch) TEFF_EXCLUDES(lock_) {
        const sync::MutexGuard guard(lock_);
        batches_.push(batch);
    }

    // Empty if there is none.
    Batches::Batch take() TEFF_EXCLUDES(lock_) {
        const sync::MutexGuard guard(lock_);
        return batches_.pop();
    }

    // After a fork. The list is changed by one store, so it is whole, whatever its lock's holder
    // was about to do.
    void unlock_by_force() { ::new (&lock_) sync::Mutex; }

  private:
    sync::Mutex lock_;
    Batches batches_ TEFF_GUARDED_BY(lock_);
};

constinit Depot depots[kBlockSizes];
std::atomic<std::size_t> bytes_mapped{0};

Batches::Batch map_blocks(std::size_t block_bytes) {
    const std::size_t bytes = block_bytes * Batches::kMost;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        base::fatal(errno, "no memory for %u task blocks of %zu bytes", Batches::kMost, block_bytes);
    bytes_mapped.fetch_add(bytes, std::memory_order_relaxed);
    FreeBlock* list = nullptr;
    for (unsigned i = Batches::kMost; i-- > 0;)
        list = ::new (static_cast<char*>(memory) + i * block_bytes) FreeBlock{list, 0};
    return {list, Batches::kMost};
}

// How many full batches a worker keeps to itself: some tens of kilobytes.
constexpr unsigned kKept = 4;

} // namespace

FreeBlock* BlockCache::refill(BlockSize size) {
    const auto index = static_cast<unsigned>(size);
    List& list = lists_[index];
    list.open = list.full.pop();
    if (list.open.head != nullptr) --list.full_count;
    else list.open = depots[index].take();
    if (list.open.head == nullptr) list.open = map_blocks(kBlockBytes[index]);
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
