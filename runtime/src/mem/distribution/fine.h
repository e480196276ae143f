// SPDX-License-Identifier: Apache-2.0
//
// fine: puts the pages on all nodes round robin, to spread the load over the memory controllers.
// It is suitable for data that all threads use. The unit is the small page. Huge pages are
// forbidden, because a single touch would place 512 units on one node.
//
// The kernel chooses the node of the first page. If the number of nodes is no power of two, the
// choice differs between kernels (Linux 6.1 divides the lower half of the page's number). So this
// code asks the kernel for the node of the first page.
//
// If the unit has several pages (OpenMP 6.0, section 8.2: part_size), each unit is a separate range
// for the kernel, like the parts of `blocked`. Because the number of the process's mappings is
// limited, an allocation has a few hundred units at most; if it would have more, the units are made
// larger.
#pragma once

#include <algorithm>

#include "mem/distribution/coarse.h"

namespace teff::mem::detail {

// Sets the policy, but does not ask for the first page's node, because that would touch the page.
// For callers that do not need the node. Returns 0, or minus an errno value.
inline long interleave(const System& system, const Nodes& nodes, Range range) {
    const long error = system.bind(range, Policy::interleave, nodes.mask);
    if (error == 0) (void)system.forbid_huge_pages(range); // kernels without huge pages refuse it
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
    if (first == Nodes::kNone) return {}; // all nodes are full, or the kernel gives no answer
    return {0, {Spread::interleaved, static_cast<std::uint8_t>(first)}};
}

} // namespace teff::mem::detail
