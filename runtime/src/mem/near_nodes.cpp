// SPDX-License-Identifier: Apache-2.0
#include "mem/near_nodes.h"

#include <new>

namespace teff::mem {

namespace {

void rank_distances(NearNodes& near) {
    std::array<std::uint8_t, 256> rank = {}; // for each distance: 1 + the number of shorter distances
    for (unsigned from = 0; from < near.count; ++from)
        for (unsigned to = 0; to < near.count; ++to)
            if (from != to) rank[near.distance[from][to]] = 1;
    std::uint8_t shorter = 0;
    for (std::uint8_t& here : rank)
        if (here != 0) here = ++shorter;
    for (unsigned from = 0; from < near.count; ++from)
        for (unsigned to = 0; to < near.count; ++to)
            near.hops[from][to] = from == to ? std::uint8_t{0} : rank[near.distance[from][to]];
}

// Sorts all nodes by their distance from `from`. Among nodes at the same distance, the node with
// the next higher number comes first, so that not all nodes look at node 0 first.
void order_by_distance(unsigned from, NearNodes& near) {
    auto& order = near.by_distance[from];
    for (unsigned i = 0; i < near.count; ++i) {
        const auto node = static_cast<std::uint8_t>((from + i) % near.count);
        unsigned at = i;
        for (; at > 1 && near.hops[from][order[at - 1]] > near.hops[from][node]; --at)
            order[at] = order[at - 1];
        order[at] = node;
    }
}

} // namespace

void arrange(const topo::NumaNodes& machine, const Nodes& usable, NearNodes& near) {
    ::new (&near) NearNodes; // in place, not by a copy from the stack: it is large
    near.count = usable.count;
    std::array<std::uint8_t, NearNodes::kMost> nearest = {}; // for each node of the machine: an index in `usable`
    std::array<unsigned, NearNodes::kMost> in_machine = {};
    for (unsigned node = 0; node < near.count; ++node)
        in_machine[node] = machine.index_of(usable.number[node]);
    for (unsigned from = 0; from < near.count; ++from)
        for (unsigned to = 0; to < near.count; ++to)
            near.distance[from][to] = machine.distance[in_machine[from]][in_machine[to]];
    rank_distances(near);
    for (unsigned node = 0; node < near.count; ++node)
        order_by_distance(node, near);
    for (unsigned from = 0; from < machine.count; ++from)
        for (unsigned to = 1; to < near.count; ++to)
            if (machine.distance[from][in_machine[to]] < machine.distance[from][in_machine[nearest[from]]])
                nearest[from] = static_cast<std::uint8_t>(to);
    for (unsigned processor = 0; processor < near.of_processor.size(); ++processor)
        near.of_processor[processor] = nearest[machine.nearest[processor]];
}

} // namespace teff::mem
