// SPDX-License-Identifier: Apache-2.0
//
// fine: page by page round robin over all nodes, for data that all threads use: it spreads the load
// over the memory controllers. The unit is the small page; huge ones are forbidden, since a single
// touch would place 512 units on one node.
#pragma once

#include "mem/distribution.h"

namespace teff::mem::detail {

inline Placed place_fine(const System& system, const Nodes& nodes, Range range, unsigned) {
    (void)system.forbid_huge_pages(range); // refused by kernels that have none
    if (const long error = system.bind(range, Policy::interleave, nodes.mask); error != 0) return {error};
    return {0, {Spread::interleaved}};
}

} // namespace teff::mem::detail
