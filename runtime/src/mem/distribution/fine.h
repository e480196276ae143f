// SPDX-License-Identifier: Apache-2.0
//
// fine: page by page round robin over all nodes, for data that all threads use: it spreads the load
// over the memory controllers. The unit is the small page; huge ones are forbidden, since a single
// touch would place 512 units on one node.
//
// Which node the first page gets is the kernel's choice, and differs between kernels where the
// number of nodes is no power of two (Linux 6.1 divides the lower half of the page's number): it is
// asked.
//
// A unit of several pages (OpenMP 6.0, section 8.2: part_size) is a range for the kernel, as the
// parts of `blocked` are. They are a few hundred at most, and larger where an allocation would have
// more: the process's mappings are limited.
#pragma once

#include <algorithm>

#include "mem/distribution/coarse.h"

namespace teff::mem::detail {

// Without that question, which touches the first page: where its node is nobody's concern.
inline long interleave(const System& system, const Nodes& nodes, Range range) {
    const long error = system.bind(range, Policy::interleave, nodes.mask);
    if (error == 0) (void)system.forbid_huge_pages(range); // refused by kernels that have none
    return error;
}

inline Placed place_parts(const System& system, const Nodes& nodes, Range range, const Choice& choice) {
    constexpr std::size_t kMostParts = 512;
    const std::size_t pages = range.bytes / kPageBytes, least = (pages + kMostParts - 1) / kMostParts;
    const std::size_t part_pages = std::min(pages, std::max<std::size_t>(choice.part_pages, least));
    const unsigned first = choice.turn % nodes.count;
    unsigned node = first;
    for (std::size_t at = 0; at < range.bytes; at += part_pages * kPageBytes, node = (node + 1) % nodes.count) {
        const Range part = {static_cast<char*>(range.begin) + at, std::min(part_pages * kPageBytes, range.bytes - at)};
        if (const Placed placed = place_on(system, nodes, part, node); placed.error != 0) return placed;
    }
    return {0, {Spread::interleaved, static_cast<std::uint8_t>(first), static_cast<std::uint32_t>(part_pages)}};
}

inline Placed place_fine(const System& system, const Nodes& nodes, Range range, const Choice& choice) {
    if (choice.part_pages > 1) return place_parts(system, nodes, range, choice);
    if (const long error = interleave(system, nodes, range); error != 0) return {error};
    const unsigned first = nodes.index_of(system.node_of_page(range.begin));
    if (first == Nodes::kNone) return {}; // all nodes are full, or the kernel does not tell
    return {0, {Spread::interleaved, static_cast<std::uint8_t>(first)}};
}

} // namespace teff::mem::detail
