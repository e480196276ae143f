// SPDX-License-Identifier: Apache-2.0
//
// Groups: the memory that a team keeps for a combining barrier. The team's size may change from
// region to region.
//
// The leader allocates the groups and sets them up between regions, when no member accesses them.
// During a region the members access them as combining.h says.
#pragma once

#include <algorithm>

#include "sync/barriers/central.h"
#include "sync/barriers/combining.h"

namespace teff::sync::barriers {

// Returns the size of a group: the number of processors of a node, but at least four and at most
// eight. Members that are bound in order and share a node are close to each other. With more than
// eight members, the contention of the arrivals for one line would cost more than the separate
// lines of groups (decision 0021).
inline constexpr unsigned fan_in_for(unsigned processors_of_a_node) { return std::clamp(processors_of_a_node, 4u, 8u); }

template <class Atomics> struct Groups {
    using Line = barriers::Line<Atomics>;

    Line* lines = nullptr; // the counters of the top and of the groups, then the groups' words
    unsigned room = 0;     // number of members for which lines are allocated
    unsigned fan_in = 1;   // number of members of a group

    // Returns the number of lines that a team of up to `most` needs.
    static unsigned lines_for(const Shape& most) {
        return CombiningCount<Atomics>::lines_for(most) + GroupWords<Atomics>::lines_for(most);
    }

    CombiningCount<Atomics> count(unsigned members) const { return {lines, {members, fan_in}}; }
    GroupWords<Atomics> words(unsigned members) const {
        return {lines + CombiningCount<Atomics>::lines_for({room, fan_in}), {members, fan_in}};
    }
};

} // namespace teff::sync::barriers
