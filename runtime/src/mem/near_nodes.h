// SPDX-License-Identifier: Apache-2.0
//
// NearNodes: the distances between the process's nodes (mem/nodes.h), and the node nearest to each
// processor. A node is named by its index in mem/nodes.h.
//
// NearNodes is a plain value. The process's own value is computed once, when it is first needed.
#pragma once

#include <array>
#include <cstdint>

#include "mem/nodes.h"

namespace teff::mem {

struct NearNodes {
    static constexpr unsigned kMost = topo::NumaNodes::kMost;
    using Table = std::array<std::array<std::uint8_t, kMost>, kMost>;

    unsigned count = 1;
    Table distance = {{{topo::NumaNodes::kLocal}}}; // as in the SLIT: 10 from a node to itself
    Table hops = {};                                // the distance's rank among all distances; 0 to itself
    Table by_distance = {};                         // for each node: all nodes, itself first, then the nearest
    std::array<std::uint8_t, topo::ProcessorSet::kCapacity> of_processor = {};
};

// Computes `near` from the machine's nodes and the nodes that the process may use, and from nothing
// else.
void arrange(const topo::NumaNodes& machine, const Nodes& usable, NearNodes& near);

// Returns the value for this process. May be called by any thread.
const NearNodes& near_nodes();

// Returns the node nearest to the processor on which the calling thread runs.
unsigned node_of_caller();

} // namespace teff::mem
