// SPDX-License-Identifier: Apache-2.0
//
// DistributedHeap: allocates memory that is spread over the NUMA nodes as a Distribution says, and
// keeps a registry of these allocations.
//
// Each allocation is a mapping of its own, and is entered in a PageMap. An allocation has no
// header, so it begins at a page. For any address inside an allocation, a thread can find the
// allocation and the nodes of its bytes without a lock.
//
// An allocation is not distributed if distribution has no meaning for it: if it has less than a
// page, if there is a single node, or if the distribution is `standard`. It is also not distributed
// if the system refuses mbind(2), as the filters of containers do; in this case the heap warns once
// and does not distribute later allocations either. mbind may also fail because the process has as
// many mappings as the kernel allows, or because a node no longer exists. Then the kernel places
// the allocation, and the heap warns once.
//
// The functions may be called by any thread, unless stated otherwise. The process has one heap
// (process_heap); tests make their own. The heap's memory for records is never freed, because a
// lookup may still read it. Across fork(2) the child keeps all allocations.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mem/distribution.h"
#include "mem/page_map.h"
#include "sync/mutex.h"

namespace teff::mem {

class DistributedHeap {
  public:
    // `nodes` is called first at the first allocation that might be distributed.
    constexpr DistributedHeap(const System& (*system)(), const Nodes& (*nodes)()) : system_(system), nodes_(nodes) {}

    // Allocates memory that is all zero, at a multiple of `alignment` (a power of two). Returns
    // null if the allocation is not distributed or there is no memory; the caller then asks the C
    // library.
    [[nodiscard]] void* allocate(const Distribution& distribution, std::size_t alignment, std::size_t bytes,
                                 std::uint32_t part_pages = 1);

    // Frees an allocation. Returns false, and does nothing, if `memory` is not an allocation of
    // this heap.
    [[nodiscard]] bool free(void* memory);

    // Returns true if the heap has ever made an allocation.
    bool was_used() const { return used_.load(std::memory_order_relaxed); }

    // Returns the number of bytes that were requested, or nothing if no allocation of this heap
    // begins at `memory`.
    std::optional<std::size_t> size_of(const void* memory) const;

    struct Allocation {
        std::uintptr_t begin;
        std::size_t bytes;
        Placement placement;
    };
    // Returns the allocation in which the address lies, or nothing. HOT footprint.
    std::optional<Allocation> find(const void* address) const {
        const auto found = map_.find(reinterpret_cast<std::uintptr_t>(address));
        if (!found) return std::nullopt;
        return Allocation{found->begin, found->bytes, unpack(found->placement)};
    }

    // Adds to `sums`, for each node of process_nodes, the number of bytes of [address, address +
    // bytes) on this node. Counts only bytes of the allocation in which `address` lies. Returns
    // false if the placement is not known.
    [[nodiscard]] bool add_bytes_per_node(const void* address, std::size_t bytes, std::span<std::size_t> sums) const;

    void forget_other_threads(); // called in a forked child

  private:
    using Record = PageMap::Record;

    void* map_aligned(std::size_t alignment, std::size_t bytes) const;
    bool enter(const Described& what);
    Record* take_record() TEFF_REQUIRES(lock_);
    void note(long error);

    const System& (*system_)();
    const Nodes& (*nodes_)();
    sync::Mutex lock_;
    PageMap map_{{kPageBits, 12, make_level}}; // insert and erase require lock_
    Record* free_records_ TEFF_GUARDED_BY(lock_) = nullptr;
    std::atomic<std::uint32_t> turns_{0}; // relaxed: number of placed allocations; selects a node
    std::atomic<bool> refused_{false};    // relaxed: only saves calls that would fail
    std::atomic<bool> said_{false};       // relaxed: the thread that sets it writes the warning
    std::atomic<bool> used_{false};       // relaxed: a thread with an address got it from the address's owner

    static PageMap::Slot* make_level(std::size_t entries);
};

DistributedHeap& process_heap();

} // namespace teff::mem
