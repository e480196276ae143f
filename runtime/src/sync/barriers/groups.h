// SPDX-License-Identifier: Apache-2.0
//
// Groups: what a team keeps for a combining barrier, whose size may change from region to region.
//
// The leader allocates the groups and sets them up between regions, when no member looks; during a
// region members count and read, as combining.h says.
#pragma once

#include <algorithm>

#include "sync/barriers/central.h"
#include "sync/barriers/combining.h"

namespace teff::sync::barriers {

// As many members as are close to each other, if they are bound in order: those of a node. But no
// more than eight, which would take turns on one line for longer than groups on theirs (decision
// 0021).
inline constexpr unsigned fan_in_for(unsigned processors_of_a_node) { return std::clamp(processors_of_a_node, 4u, 8u); }

template <class Atomics> struct Groups {
    using Line = barriers::Line<Atomics>;

    Line* lines = nullptr; // the top's counter and the groups', then the groups' words
    unsigned room = 0;     // members, for which there are lines
    unsigned fan_in = 1;   // members of a group

    static unsigned lines_for(const Shape& most) {
        return CombiningCount<Atomics>::lines_for(most) + GroupWords<Atomics>::lines_for(most);
    }

    CombiningCount<Atomics> count(unsigned members) const { return {lines, {members, fan_in}}; }
    GroupWords<Atomics> words(unsigned members) const {
        return {lines + CombiningCount<Atomics>::lines_for({room, fan_in}), {members, fan_in}};
    }
};

} // namespace teff::sync::barriers
