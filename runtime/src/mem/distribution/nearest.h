// SPDX-License-Identifier: Apache-2.0
//
// nearest: puts the whole allocation on the node of the thread that allocates it (OpenMP 5.2, table
// 6.2: omp_atv_nearest), whichever thread touches it first.
#pragma once

#include "mem/distribution/coarse.h"

namespace teff::mem::detail {

inline Placed place_nearest(const System& system, const Nodes& nodes, Range range, const Choice&) {
    const unsigned node = nodes.index_of(system.node_of_caller());
    if (node == Nodes::kNone) return {}; // the node has no memory or is forbidden: the kernel decides
    return place_on(system, nodes, range, node);
}

} // namespace teff::mem::detail
