// SPDX-License-Identifier: Apache-2.0
//
// blocked: divides the allocation into as many parts of whole pages as there are nodes, and puts
// each part on the next node (OpenMP 5.2, table 6.2: omp_atv_blocked). It is suitable for arrays
// that static loops divide in the same way.
#pragma once

#include <algorithm>

#include "mem/distribution/coarse.h"

namespace teff::mem::detail {

inline Placed place_blocked(const System& system, const Nodes& nodes, Range range, const Choice&) {
    const std::size_t part = part_bytes(range.bytes, nodes.count);
    unsigned node = 0;
    for (std::size_t at = 0; at < range.bytes; at += part, ++node) {
        const Range block = {static_cast<char*>(range.begin) + at, std::min(part, range.bytes - at)};
        if (const Placed placed = place_on(system, nodes, block, node); placed.error != 0) return placed;
    }
    return {0, {Spread::blocked}};
}

} // namespace teff::mem::detail
