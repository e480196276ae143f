// SPDX-License-Identifier: Apache-2.0
// Clocks: ticks are cheap and measure intervals; nanoseconds are for times that people read.
#pragma once

#include <cstdint>
#include <ctime>

#include "base/arch/arch.h"

namespace teff::base {

using Ticks = std::uint64_t;

inline Ticks ticks() { return arch::read_ticks(); }
inline Ticks ticks_behind_loads() { return arch::read_ticks_behind_loads(); } // costs some nanoseconds more

namespace detail {
inline std::uint64_t clock_ns(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}
} // namespace detail

inline std::uint64_t monotonic_ns() { return detail::clock_ns(CLOCK_MONOTONIC); }

// As monotonic_ns, but cheaper, and a few milliseconds behind at most.
inline std::uint64_t coarse_ns() { return detail::clock_ns(CLOCK_MONOTONIC_COARSE); }

} // namespace teff::base
