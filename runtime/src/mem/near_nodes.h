// SPDX-License-Identifier: Apache-2.0
//
// The distances between the process's nodes (mem/nodes.h), and which of them is nearest to a
// processor. Nodes are named by their index there.
//
// A plain value; the process's own is computed once, at the first question.
#pragma once

#include <array>
#include <cstdint>

#include "mem/nodes.h"

namespace teff::mem {

struct NearNodes {
    static constexpr unsigned kMost = topo::NumaNodes::kMost;
    using Table = std::array<std::array<std::uint8_t, kMost>, kMost>;

    unsigned count = 1;
    Table distance = {{{topo::NumaNodes::kLocal}}}; // as the SLIT has it: 10 to itself
    Table hops = {};                                // 0 to itself; else the rank of the distance among all that occur
    Table by_distance = {};                         // of each node: all of them, the nearest first, so itself
    std::array<std::uint8_t, topo::ProcessorSet::kCapacity> of_processor = {};
};

// A pure function of both.
void arrange(const topo::NumaNodes& machine, const Nodes& usable, NearNodes& near);

// Of this process. Any thread.
const NearNodes& near_nodes();

// The node nearest to the processor that the calling thread is on.
unsigned node_of_caller();

} // namespace teff::mem
