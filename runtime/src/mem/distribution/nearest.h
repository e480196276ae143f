// SPDX-License-Identifier: Apache-2.0
//
// nearest: the whole allocation on the node of the thread that asks for it (OpenMP 5.2, table 6.2:
// omp_atv_nearest), whoever touches it first.
#pragma once

#include "mem/distribution/coarse.h"

namespace teff::mem::detail {

inline Placed place_nearest(const System& system, const Nodes& nodes, Range range, unsigned) {
    const unsigned number = system.node_of_caller();
    for (unsigned node = 0; node < nodes.count; ++node)
        if (nodes.number[node] == number) return place_on(system, nodes, range, node);
    return {}; // a node without memory, or one that the process may not use: the kernel knows better
}

} // namespace teff::mem::detail
