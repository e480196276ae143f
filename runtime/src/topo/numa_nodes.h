// SPDX-License-Identifier: Apache-2.0
//
// The NUMA nodes that have memory: the kernel's number of each node, the distances between the
// nodes, and the node nearest to each processor. The kernel's numbers may have gaps.
//
// Inside the runtime a node is identified by its index, which starts at 0 and has no gaps.
// NumaNodes is a plain value. The process's own value is read once, by the first call of
// numa_nodes, and never changes: nodes that appear later are not used.
#pragma once

#include <array>
#include <cstdint>

#include "topo/processor_set.h"

namespace teff::topo {

struct NumaNodes {
    static constexpr unsigned kMost = 64;             // nodes beyond this number are left out
    static constexpr unsigned kMostNumber = 1024;     // the kernel's numbers are below: CONFIG_NODES_SHIFT <= 10
    static constexpr unsigned kLocal = 10, kFar = 20; // distances if the kernel tells none (ACPI 6, SLIT)

    unsigned count = 1;
    std::array<std::uint16_t, kMost> number = {};
    // distance[from][to], as in the SLIT: the distance of a node to itself is 10.
    std::array<std::array<std::uint8_t, kMost>, kMost> distance = {{{kLocal}}};
    // nearest[processor]: the index of the node with memory that is nearest to the processor.
    std::array<std::uint8_t, ProcessorSet::kCapacity> nearest = {};

    // Returns the index of the node with this number of the kernel; kMost if the node is left out
    // or has no memory.
    unsigned index_of(unsigned kernels_number) const {
        for (unsigned node = 0; node < count; ++node)
            if (number[node] == kernels_number) return node;
        return kMost;
    }
};

// Sets `nodes` to what the files below `root` say; a pure function of these files. If the kernel
// names no nodes, all memory is in one node with number 0.
void read_numa_nodes(const char* root, NumaNodes& nodes);

// Returns the nodes of this machine. May be called by any thread.
const NumaNodes& numa_nodes();

} // namespace teff::topo
