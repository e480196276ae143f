// SPDX-License-Identifier: Apache-2.0
//
// Placement: the nodes on which the bytes of an allocation lie, according to the request for its
// pages. (If a node is full, the kernel places pages elsewhere without notice.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mem/nodes.h"

namespace teff::mem {

inline constexpr std::size_t kPageBits = 12, kPageBytes = std::size_t{1} << kPageBits;

enum class Spread : std::uint8_t {
    unknown,     // each page lies where it is touched first
    one_node,    // all pages lie on `node`
    interleaved, // parts of `part_pages` pages lie on the nodes in turn, the first on `node`
    blocked,     // there are as many parts as nodes; the parts lie on the nodes in order
};

struct Placement {
    Spread spread = Spread::unknown;
    std::uint8_t node = 0;        // an index in Nodes
    std::uint32_t part_pages = 1; // for `interleaved`: pages in each part
};

constexpr std::uint64_t pack(Placement placement) {
    return std::uint64_t{placement.part_pages} << 16 | std::uint64_t{placement.node} << 8 |
           static_cast<std::uint64_t>(placement.spread);
}
constexpr Placement unpack(std::uint64_t word) {
    return {static_cast<Spread>(word & 0xff), static_cast<std::uint8_t>(word >> 8),
            static_cast<std::uint32_t>(word >> 16)};
}

// Returns the bytes of each part for `blocked`, a whole number of pages. The last parts may have
// fewer bytes.
constexpr std::size_t part_bytes(std::size_t bytes, unsigned nodes) {
    const std::size_t pages = (bytes + kPageBytes - 1) / kPageBytes;
    return (pages + nodes - 1) / nodes * kPageBytes;
}

// Adds to `sums`, for each node, the number of bytes of [begin, end) on this node. `sums` has one
// element for each node. The allocation has `whole_bytes` bytes from `whole_begin`. Returns false
// if the placement is unknown.
[[nodiscard]] inline bool add_bytes_per_node(Placement placement, std::uintptr_t whole_begin, std::size_t whole_bytes,
                                             std::uintptr_t begin, std::uintptr_t end, std::span<std::size_t> sums) {
    const unsigned nodes = static_cast<unsigned>(sums.size());
    switch (placement.spread) {
    case Spread::unknown:
        return false;
    case Spread::one_node:
        sums[placement.node] += end - begin;
        return true;
    case Spread::interleaved: {
        const std::uintptr_t part = std::uintptr_t{placement.part_pages} * kPageBytes;
        const std::uintptr_t round = nodes * part, rounds = (end - begin) / round;
        for (unsigned node = 0; node < nodes; ++node)
            sums[node] += rounds * part;
        for (std::uintptr_t at = begin + rounds * round; at < end;) { // the rest is less than a round
            const std::uintptr_t number = (at - whole_begin) / part, part_end = whole_begin + (number + 1) * part;
            const std::uintptr_t stop = part_end < end ? part_end : end;
            sums[(placement.node + number) % nodes] += stop - at;
            at = stop;
        }
        return true;
    }
    case Spread::blocked: {
        const std::size_t part = part_bytes(whole_bytes, nodes);
        for (std::uintptr_t at = begin; at < end;) {
            const std::uintptr_t node = (at - whole_begin) / part, part_end = whole_begin + (node + 1) * part;
            const std::uintptr_t stop = part_end < end ? part_end : end;
            sums[node] += stop - at;
            at = stop;
        }
        return true;
    }
    }
    return false;
}

} // namespace teff::mem
