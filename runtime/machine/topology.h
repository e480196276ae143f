// SPDX-License-Identifier: Apache-2.0
//
// Topology: the paths (ways) between the nodes of a modelled machine.
//
// A way is a list of links, each of which carries lines in one direction. In a mesh, a way goes
// along the row and then along the column. Elsewhere it is a shortest way; if there are several
// shortest ways, it is the way over the nodes with the lowest numbers. All ways are computed once.
// A plain value.
#pragma once

#include <vector>

#include "machine/description.h"

namespace teff::machine {

class Topology {
  public:
    explicit Topology(const Description& description);

    unsigned hops(unsigned from, unsigned to) const { return static_cast<unsigned>(way(from, to).size()); }
    // The links on the way, by their numbers.
    const std::vector<unsigned>& way(unsigned from, unsigned to) const { return ways_[from * nodes_ + to]; }
    const std::vector<Link>& links() const { return links_; }
    // The latency of a line that comes from one node to the other.
    Time latency(const Latency& latency, unsigned from, unsigned to) const;
    // The distance that the system reports. If the system reports none, the distance is
    // proportional to the latency of memory.
    std::uint64_t distance(unsigned from, unsigned to) const;
    // The mean over all pairs of nodes, including pairs of a node with itself.
    double mean_hops() const;

  private:
    void add_both(unsigned from, unsigned to, Time per_line);
    void connect();
    unsigned next_on_mesh(unsigned at, unsigned to) const;
    void find_ways_over_links();
    void find_ways_on_mesh();
    unsigned link_between(unsigned from, unsigned to) const;

    const Description& description_;
    unsigned nodes_;
    std::vector<Link> links_; // one direction each
    std::vector<std::vector<unsigned>> ways_;
};

} // namespace teff::machine
