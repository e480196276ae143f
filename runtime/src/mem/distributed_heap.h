// SPDX-License-Identifier: Apache-2.0
//
// DistributedHeap: memory that spreads over the NUMA nodes as a Distribution says, and the registry
// of what it has given.
//
// Each allocation is a mapping of its own, entered in a PageMap. It has no header, so it begins at
// a page. For any address inside, a thread can find the allocation, and where its bytes lie,
// without a lock.
//
// An allocation is not distributed if that would mean nothing: less than a page, a single node, or
// the distribution `standard`. Nor if the system refuses mbind(2), as the filters of containers do:
// then the heap says so once and distributes no more. If only the policy fails, because the process
// has as many mappings as the kernel allows or a node is gone, the kernel places the allocation,
// and the heap says so once.
//
// Who may: any thread. One per process (process_heap); tests make their own. Its memory for records
// is never given back: a lookup may still see it. Across fork(2) the child keeps all allocations.
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
    // `nodes` is asked at the first allocation that might be distributed.
    constexpr DistributedHeap(const System& (*system)(), const Nodes& (*nodes)()) : system_(system), nodes_(nodes) {}

    // All zero and at an address that `alignment` (a power of two) divides. Null: not distributed,
    // or no memory; the caller asks the C library.
    [[nodiscard]] void* allocate(const Distribution& distribution, std::size_t alignment, std::size_t bytes,
                                 std::uint32_t part_pages = 1);

    // False: it is none of this heap's, nothing has happened.
    [[nodiscard]] bool free(void* memory);

    // Has it ever distributed anything?
    bool was_used() const { return used_.load(std::memory_order_relaxed); }

    // The bytes that were asked for. Nothing: it is none of this heap's.
    std::optional<std::size_t> size_of(const void* memory) const;

    struct Allocation {
        std::uintptr_t begin;
        std::size_t bytes;
        Placement placement;
    };
    // The one that the address lies in. HOT footprint.
    std::optional<Allocation> find(const void* address) const {
        const auto found = map_.find(reinterpret_cast<std::uintptr_t>(address));
        if (!found) return std::nullopt;
        return Allocation{found->begin, found->bytes, unpack(found->placement)};
    }

    // Adds the bytes of [address, address + bytes) that lie on each node of process_nodes, as far
    // as they are of the allocation that `address` lies in. False: nobody knows.
    [[nodiscard]] bool add_bytes_per_node(const void* address, std::size_t bytes, std::span<std::size_t> sums) const;

    void forget_other_threads(); // in a forked child

  private:
    using Record = PageMap::Record;

    void* map_aligned(std::size_t alignment, std::size_t bytes) const;
    bool enter(const Described& what);
    Record* take_record() TEFF_REQUIRES(lock_);
    void note(long error);

    const System& (*system_)();
    const Nodes& (*nodes_)();
    sync::Mutex lock_;
    PageMap map_{{kPageBits, 12, make_level}}; // inserting and erasing: under the lock
    Record* free_records_ TEFF_GUARDED_BY(lock_) = nullptr;
    std::atomic<std::uint32_t> turns_{0}; // relaxed: which node is next
    std::atomic<bool> refused_{false};    // relaxed: only says that asking is useless
    std::atomic<bool> said_{false};       // relaxed: whoever sets it speaks
    std::atomic<bool> used_{false};       // relaxed: who has an address of it has it from its owner

    static PageMap::Slot* make_level(std::size_t entries);
};

DistributedHeap& process_heap();

} // namespace teff::mem
