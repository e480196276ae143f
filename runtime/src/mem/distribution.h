// SPDX-License-Identifier: Apache-2.0
//
// Distribution: how the pages of an allocation are spread over the nodes.
//
// `standard`, `fine` and `coarse` come from Muddukrishna's thesis (2016, chapter 3). Each
// distribution except `standard` has a file in distribution/. All distributions have a line in
// distributions.cpp and in icv::kDistributions. A distribution sets the kernel's memory policy for
// the pages of one new mapping, before the pages are touched.
#pragma once

#include <string_view>

#include "mem/nodes.h"
#include "mem/placement.h"

namespace teff::mem {

struct Placed {
    long error = 0; // 0, or minus an errno value: the kernel then places the pages
    Placement placement = {};
};

// Parameters of one allocation.
struct Choice {
    unsigned turn = 0;            // the number of earlier allocations with any distribution
    std::uint32_t part_pages = 1; // for `fine`: the unit, in pages
};

struct Distribution {
    std::string_view name;
    // Places the pages of `range`. Null: the kernel's default applies, and no policy is set.
    Placed (*place)(const System& system, const Nodes& nodes, Range range, const Choice& choice);
};

// Returns the distribution with this number in icv::kDistributions.
const Distribution& distribution(unsigned number);

inline constexpr unsigned kStandard = 0, kFine = 1, kCoarse = 2, kBlocked = 3, kNearest = 4;

} // namespace teff::mem
