// SPDX-License-Identifier: Apache-2.0
#include "mem/distributed_heap.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/report.h"

namespace teff::mem {

namespace {

constexpr std::size_t kSlabBytes = 64 * sizeof(PageMap::Record);

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPageBytes - 1) & ~(kPageBytes - 1); }

Range range_of(std::uintptr_t begin, std::uintptr_t end) { return {reinterpret_cast<void*>(begin), end - begin}; }

} // namespace

PageMap::Slot* DistributedHeap::make_level(std::size_t entries) {
    return static_cast<PageMap::Slot*>(real_system().map(entries * sizeof(PageMap::Slot))); // zero is null
}

// Maps more than `bytes`, and unmaps the excess on both sides.
void* DistributedHeap::map_aligned(std::size_t alignment, std::size_t bytes) const {
    if (alignment <= kPageBytes) return system_().map(bytes);
    std::size_t more;
    if (__builtin_add_overflow(bytes, alignment, &more)) return nullptr;
    const auto mapped = reinterpret_cast<std::uintptr_t>(system_().map(more));
    if (mapped == 0) return nullptr;
    const std::uintptr_t begin = (mapped + alignment - 1) & ~(alignment - 1), end = begin + bytes;
    if (begin > mapped) system_().unmap(range_of(mapped, begin));
    if (mapped + more > end) system_().unmap(range_of(end, mapped + more));
    return reinterpret_cast<void*>(begin);
}

void* DistributedHeap::allocate(const Distribution& distribution, std::size_t alignment, std::size_t bytes,
                                std::uint32_t part_pages) {
    if (distribution.place == nullptr || bytes < kPageBytes || bytes > PTRDIFF_MAX - kPageBytes) return nullptr;
    if (refused_.load(std::memory_order_relaxed) || nodes_().count < 2) return nullptr;
    const std::size_t pages = whole_pages(bytes);
    void* const memory = map_aligned(alignment, pages);
    if (memory == nullptr) return nullptr;
    const Choice choice = {turns_.fetch_add(1, std::memory_order_relaxed), part_pages};
    const Placed placed = distribution.place(system_(), nodes_(), {memory, pages}, choice);
    if (placed.error != 0) note(placed.error);
    if (enter({reinterpret_cast<std::uintptr_t>(memory), bytes, pack(placed.placement)})) return memory;
    system_().unmap({memory, pages});
    return nullptr;
}

bool DistributedHeap::enter(const Described& what) {
    const sync::MutexGuard guard(lock_);
    Record* const record = take_record();
    if (record == nullptr) return false;
    const bool entered = map_.insert(*record, what);
    if (!entered) record->next_free = std::exchange(free_records_, record);
    else used_.store(true, std::memory_order_relaxed);
    return entered;
}

DistributedHeap::Record* DistributedHeap::take_record() {
    if (free_records_ == nullptr) {
        auto* const slab = static_cast<char*>(real_system().map(kSlabBytes));
        for (std::size_t at = 0; slab != nullptr && at < kSlabBytes; at += sizeof(Record)) {
            auto* const record = ::new (slab + at) Record;
            record->next_free = std::exchange(free_records_, record);
        }
        if (slab == nullptr) return nullptr;
    }
    return std::exchange(free_records_, free_records_->next_free);
}

bool DistributedHeap::free(void* memory) {
    const auto found = size_of(memory);
    if (!found) return false;
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    {
        const sync::MutexGuard guard(lock_);
        Record* const record = map_.find_record(begin);
        if (record == nullptr) return false; // two threads free the same memory: the C library will report that
        map_.erase(*record);                 // before the unmap: no other allocation can lie there yet
        record->next_free = std::exchange(free_records_, record);
    }
    system_().unmap({memory, whole_pages(*found)});
    return true;
}

std::optional<std::size_t> DistributedHeap::size_of(const void* memory) const {
    const auto found = find(memory);
    if (!found || found->begin != reinterpret_cast<std::uintptr_t>(memory)) return std::nullopt;
    return found->bytes;
}

bool DistributedHeap::add_bytes_per_node(const void* address, std::size_t bytes, std::span<std::size_t> sums) const {
    const auto found = find(address);
    if (!found) return false;
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    const std::uintptr_t end = begin + std::min(bytes, found->begin + found->bytes - begin);
    return mem::add_bytes_per_node(found->placement, found->begin, found->bytes, begin, end, sums);
}

void DistributedHeap::note(long error) {
    const bool refuses = error == -EPERM || error == -ENOSYS || error == -EACCES;
    if (refuses) refused_.store(true, std::memory_order_relaxed);
    if (said_.exchange(true, std::memory_order_relaxed)) return;
    const char* const reason = std::strerror(static_cast<int>(-error));
    if (refuses)
        base::warn("the system refuses to spread memory over its nodes (mbind: %s): OMP_DATA_DISTRIBUTION and the "
                   "trait partition have no effect",
                   reason);
    else
        base::warn("some memory cannot be spread over the nodes (mbind: %s) and lies where it is touched first%s",
                   reason,
                   error == -ENOMEM ? "; the process may have as many mappings as vm.max_map_count allows" : "");
}

void DistributedHeap::forget_other_threads() { ::new (&lock_) sync::Mutex; }

DistributedHeap& process_heap() {
    static constinit DistributedHeap heap(real_system, process_nodes);
    return heap;
}

} // namespace teff::mem
