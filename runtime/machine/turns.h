// SPDX-License-Identifier: Apache-2.0
//
// Turns: the time of each core's next turn on a modelled machine, and the core whose turn is first.
//
// The turns form a tournament tree. A node has the earlier of the two turns below it. If the two
// are equal, the node has the left turn, which belongs to the core with the lower number. Each core
// has at most one turn, and a new turn replaces the old one. So there are no outdated entries to
// drop, and the order never depends on memory addresses or chance.
#pragma once

#include <bit>
#include <vector>

#include "machine/description.h"

namespace teff::machine {

class Turns {
  public:
    static constexpr Time kNever = ~Time{0};

    struct Turn {
        Time at = kNever;
        unsigned core = 0;

        bool before(const Turn& other) const { return at != other.at ? at < other.at : core < other.core; }
    };

    explicit Turns(unsigned cores) : leaves_(std::bit_ceil(cores + (cores == 0 ? 1 : 0))), nodes_(2 * leaves_) {
        for (unsigned i = 1; i < 2 * leaves_; ++i)
            nodes_[i].core = i < leaves_ ? 0 : i - leaves_;
    }

    // Sets the core's next turn to `at`, which may be kNever.
    void set(unsigned core, Time at) {
        unsigned node = leaves_ + core;
        nodes_[node].at = at;
        for (; node > 1; node /= 2) {
            const Turn &left = nodes_[node & ~1u], &right = nodes_[node | 1];
            nodes_[node / 2] = right.at < left.at ? right : left;
        }
    }

    // The first turn. If its time is kNever, no core has a turn.
    const Turn& first() const { return nodes_[1]; }

  private:
    unsigned leaves_;
    std::vector<Turn> nodes_; // the root is 1, and the leaves come last
};

} // namespace teff::machine
