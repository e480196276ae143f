// SPDX-License-Identifier: Apache-2.0
//
// Distribution: how the pages of an allocation spread over the nodes.
//
// `standard`, `fine` and `coarse` are those of Muddukrishna's thesis (2016, chapter 3). Each is a
// file below distribution/, and a line in distributions.cpp and in icv::kDistributions: it asks the
// kernel for the pages of one fresh mapping, before anything touches them.
#pragma once

#include <string_view>

#include "mem/nodes.h"
#include "mem/placement.h"

namespace teff::mem {

struct Placed {
    long error = 0; // minus an errno value: the pages lie as the kernel likes
    Placement placement = {};
};

// Of one allocation.
struct Choice {
    unsigned turn = 0;            // how many have asked for any distribution before
    std::uint32_t part_pages = 1; // of `fine`: the unit
};

struct Distribution {
    std::string_view name;
    // Null: the kernel's default, nothing is asked for.
    Placed (*place)(const System& system, const Nodes& nodes, Range range, const Choice& choice);
};

// By their numbers in icv::kDistributions.
const Distribution& distribution(unsigned number);

inline constexpr unsigned kStandard = 0, kFine = 1, kCoarse = 2, kBlocked = 3, kNearest = 4;

} // namespace teff::mem
