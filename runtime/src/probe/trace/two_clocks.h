// SPDX-License-Identifier: Apache-2.0
//
// Converts the kernel's times of events, in nanoseconds of the monotonic clock, into ticks
// (base/clock.h), by the line through two instants that were read on both clocks.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace teff::probe::trace {

// The same instant on both clocks: in ticks, and in nanoseconds of the monotonic clock.
struct BothClocks {
    base::Ticks ticks = 0;
    std::uint64_t ns = 0;

    // Returns the same instant on both clocks as exactly as it can be read.
    static BothClocks now();
};

// Returns the instant at `ns` by the line through two instants; what lies outside of the two counts
// as at the nearer one.
base::Ticks ticks_at(std::uint64_t ns, const BothClocks& from, const BothClocks& until);

} // namespace teff::probe::trace
