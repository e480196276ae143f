// SPDX-License-Identifier: Apache-2.0
#include "machine/topology.h"

namespace teff::machine {

Topology::Topology(const Description& description)
    : description_(description), nodes_(description.nodes), ways_(std::size_t{nodes_} * nodes_) {
    connect();
    if (description_.mesh_columns != 0) find_ways_on_mesh();
    else find_ways_over_links();
}

void Topology::add_both(unsigned from, unsigned to, Time per_line) {
    links_.push_back({from, to, per_line});
    links_.push_back({to, from, per_line});
}

void Topology::connect() {
    const unsigned columns = description_.mesh_columns;
    for (const Link& link : description_.links)
        add_both(link.from, link.to, link.per_line);
    for (unsigned node = 0; columns != 0 && node < nodes_; ++node) {
        if (node % columns + 1 < columns) add_both(node, node + 1, description_.mesh_per_line);
        if (node + columns < nodes_) add_both(node, node + columns, description_.mesh_per_line);
    }
}

unsigned Topology::link_between(unsigned from, unsigned to) const {
    for (unsigned i = 0; i < links_.size(); ++i)
        if (links_[i].from == from && links_[i].to == to) return i;
    return static_cast<unsigned>(links_.size());
}

unsigned Topology::next_on_mesh(unsigned at, unsigned to) const {
    const unsigned columns = description_.mesh_columns;
    if (at % columns != to % columns) return at % columns < to % columns ? at + 1 : at - 1;
    return at < to ? at + columns : at - columns;
}

void Topology::find_ways_on_mesh() {
    for (unsigned from = 0; from < nodes_; ++from)
        for (unsigned to = 0; to < nodes_; ++to)
            for (unsigned at = from; at != to;) {
                const unsigned next = next_on_mesh(at, to);
                ways_[from * nodes_ + to].push_back(link_between(at, next));
                at = next;
            }
}

// A breadth-first search from each node. The way to a node is the way to the previous node on it,
// followed by a link.
void Topology::find_ways_over_links() {
    for (unsigned from = 0; from < nodes_; ++from) {
        std::vector<bool> reached(nodes_);
        std::vector<unsigned> order = {from};
        reached[from] = true;
        for (std::size_t i = 0; i < order.size(); ++i)
            for (unsigned to = 0; to < nodes_; ++to) {
                const unsigned link = link_between(order[i], to);
                if (reached[to] || link == links_.size()) continue;
                reached[to] = true;
                order.push_back(to);
                auto& way = ways_[from * nodes_ + to];
                way = ways_[from * nodes_ + order[i]];
                way.push_back(link);
            }
    }
}

Time Topology::latency(const Latency& latency, unsigned from, unsigned to) const {
    if (from == to) return latency.own;
    const unsigned package = description_.nodes_per_package;
    if (latency.sibling != 0 && from / package == to / package) return latency.sibling;
    return latency.remote + latency.hop * hops(from, to);
}

std::uint64_t Topology::distance(unsigned from, unsigned to) const {
    if (!description_.distance.empty()) return description_.distance[from][to];
    return 10 * latency(description_.memory, from, to) / description_.memory.own;
}

double Topology::mean_hops() const {
    std::size_t sum = 0;
    for (const auto& way : ways_)
        sum += way.size();
    return static_cast<double>(sum) / static_cast<double>(ways_.size());
}

} // namespace teff::machine
