// SPDX-License-Identifier: Apache-2.0
//
// A task's footprint: the memory that the task will probably touch, and the NUMA node that is
// therefore the task's home. This is algorithm 1 of Muddukrishna's thesis (2016, chapter 3).
//
// The footprint is estimated from the depend clauses, which have addresses but no sizes. Each
// address stands for the memory from this address to the next address of the same task in the same
// allocation, or to the allocation's end. The last of several addresses stands for as much memory
// as lies between it and the address before. A single address inside an allocation, not at its
// beginning, stands for nothing. Only memory of mem::process_heap counts.
//
// All functions are pure. homes.h says when they are called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mem/near_nodes.h"
#include "sched/runnable.h"
#include "task/depend_items.h"

namespace teff::task {

// Returns the node on which a task that touches `bytes[n]` bytes on each node n costs least. The
// cost is the sum of bytes times distances. Returns no home if the total number of bytes is below
// `least`, or if the bytes are spread so evenly that all nodes cost the same.
sched::Home cheapest_home(std::span<const std::size_t> bytes, const mem::NearNodes& nodes, std::size_t least);

// Adds the bytes for which the dependences stand to `sums`, which has one sum per node. Heap has
// the interface of mem::DistributedHeap.
template <class Heap> void add_depend_bytes(const Heap& heap, const DependItems& depend, std::span<std::size_t> sums);

namespace detail {

// Items beyond this number are ignored, because each item is compared with all others.
inline constexpr unsigned kMostItems = 64;

// Calls `visit(address)` for each address, in order, until `visit` returns false.
template <class Visit> void each_address(const DependItems& depend, Visit&& visit) {
    unsigned seen = 0;
    for (const DependRun& run : depend)
        for (void* const address : run)
            if (++seen > kMostItems || !visit(reinterpret_cast<std::uintptr_t>(address))) return;
}

inline bool is_repeated(const DependItems& depend, std::uintptr_t address, unsigned position) {
    bool repeated = false;
    each_address(depend, [&](std::uintptr_t other) {
        repeated = position != 0 && other == address;
        return position-- != 0 && !repeated;
    });
    return repeated;
}

// Returns how many bytes the address stands for, in an allocation from `begin` to `end`; 0: none.
inline std::size_t bytes_from(const DependItems& depend, std::uintptr_t address, std::uintptr_t begin,
                              std::uintptr_t end) {
    std::uintptr_t next = end, before = 0; // 0: no address lies before
    each_address(depend, [&](std::uintptr_t other) {
        if (other > address && other < next) next = other;
        if (other < address && other >= begin && other > before) before = other;
        return true;
    });
    if (next != end || address == begin) return next - address;
    if (before == 0) return 0;
    return address - before < end - address ? address - before : end - address;
}

} // namespace detail

template <class Heap> void add_depend_bytes(const Heap& heap, const DependItems& depend, std::span<std::size_t> sums) {
    unsigned position = 0;
    detail::each_address(depend, [&](std::uintptr_t address) {
        const auto* const memory = reinterpret_cast<const void*>(address);
        const auto whole = heap.find(memory);
        if (!detail::is_repeated(depend, address, position++) && whole) {
            const std::size_t bytes = detail::bytes_from(depend, address, whole->begin, whole->begin + whole->bytes);
            if (bytes != 0) (void)heap.add_bytes_per_node(memory, bytes, sums); // unknown: adds nothing
        }
        return true;
    });
}

} // namespace teff::task
