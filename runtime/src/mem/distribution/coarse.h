// SPDX-License-Identifier: Apache-2.0
//
// coarse: puts each whole allocation on one node, and uses the nodes in turn. It is suitable for
// programs in which each thread uses its own allocations. The node is a preference: if the node is
// full, the pages are on other nodes, and no process is killed.
#pragma once

#include "mem/distribution.h"

namespace teff::mem::detail {

inline Placed place_on(const System& system, const Nodes& nodes, Range range, unsigned node) {
    NodeMask one;
    one.add(nodes.number[node]);
    if (const long error = system.bind(range, Policy::preferred, one); error != 0) return {error};
    return {0, {Spread::one_node, static_cast<std::uint8_t>(node)}};
}

inline Placed place_coarse(const System& system, const Nodes& nodes, Range range, const Choice& choice) {
    return place_on(system, nodes, range, choice.turn % nodes.count);
}

} // namespace teff::mem::detail
