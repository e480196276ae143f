// SPDX-License-Identifier: Apache-2.0
//
// The NUMA nodes that have memory: the kernel's number of each, which may leave gaps, how far they
// lie from each other, and which of them is nearest to a processor.
//
// Inside the runtime a node is named by its index, from 0 without gaps. A plain value; the
// process's own is read once, at the first question, and never changes: nodes that come later are
// not used.
#pragma once

#include <array>
#include <cstdint>

#include "topo/processor_set.h"

namespace teff::topo {

struct NumaNodes {
    static constexpr unsigned kMost = 64;             // further nodes are left out
    static constexpr unsigned kMostNumber = 1024;     // of the kernel: CONFIG_NODES_SHIFT is at most 10
    static constexpr unsigned kLocal = 10, kFar = 20; // distances where the kernel tells none (ACPI 6, SLIT)

    unsigned count = 1;
    std::array<std::uint16_t, kMost> number = {};
    // From a node to another, 10 to itself, as the SLIT has them.
    std::array<std::array<std::uint8_t, kMost>, kMost> distance = {{{kLocal}}};
    // Of each processor: the node nearest to it that has memory.
    std::array<std::uint8_t, ProcessorSet::kCapacity> nearest = {};

    // kMost: a node that is left out, or has no memory.
    unsigned index_of(unsigned kernels_number) const {
        for (unsigned node = 0; node < count; ++node)
            if (number[node] == kernels_number) return node;
        return kMost;
    }
};

// As the files below `root` say: a pure function of them. A kernel that knows of no nodes has all
// memory in one, number 0.
void read_numa_nodes(const char* root, NumaNodes& nodes);

// Of this machine. Any thread.
const NumaNodes& numa_nodes();

} // namespace teff::topo
