// SPDX-License-Identifier: Apache-2.0
//
// Turns: when each core of a modelled machine has its next turn, and whose is first.
//
// A tree of winners: a node has the earlier of its two below, and of equals the left one, which is
// the core of the lower number. Each core has one turn at most; another one takes its place. So
// there is nothing old to be dropped, and no order that memory or chance decides.
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

    // At `at`, or never.
    void set(unsigned core, Time at) {
        unsigned node = leaves_ + core;
        nodes_[node].at = at;
        for (; node > 1; node /= 2) {
            const Turn &left = nodes_[node & ~1u], &right = nodes_[node | 1];
            nodes_[node / 2] = right.at < left.at ? right : left;
        }
    }

    // At kNever: nobody has a turn.
    const Turn& first() const { return nodes_[1]; }

  private:
    unsigned leaves_;
    std::vector<Turn> nodes_; // the root is 1, and the leaves come last
};

} // namespace teff::machine
