// SPDX-License-Identifier: Apache-2.0
// Rounding to multiples of a power of two.
#pragma once

#include <cstddef>

namespace teff::base {

// Returns the smallest multiple of `unit`, a power of two, that is not below `value`.
constexpr std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) & ~(unit - 1); }

} // namespace teff::base
