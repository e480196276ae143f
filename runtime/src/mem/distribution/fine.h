// SPDX-License-Identifier: Apache-2.0
//
// fine: page by page round robin over all nodes, for data that all threads use: it spreads the load
// over the memory controllers. The unit is the small page; huge ones are forbidden, since a single
// touch would place 512 units on one node.
//
// Which node the first page gets is the kernel's choice, and differs between kernels where the
// number of nodes is no power of two (Linux 6.1 divides the lower half of the page's number): it is
// asked.
#pragma once

#include "mem/distribution.h"

namespace teff::mem::detail {

// Without that question, which touches the first page: where its node is nobody's concern.
inline long interleave(const System& system, const Nodes& nodes, Range range) {
    const long error = system.bind(range, Policy::interleave, nodes.mask);
    if (error == 0) (void)system.forbid_huge_pages(range); // refused by kernels that have none
    return error;
}

inline Placed place_fine(const System& system, const Nodes& nodes, Range range, unsigned) {
    if (const long error = interleave(system, nodes, range); error != 0) return {error};
    const unsigned first = nodes.index_of(system.node_of_page(range.begin));
    if (first == Nodes::kNone) return {}; // all nodes are full, or the kernel does not tell
    return {0, {Spread::interleaved, static_cast<std::uint8_t>(first)}};
}

} // namespace teff::mem::detail
