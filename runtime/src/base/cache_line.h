// SPDX-License-Identifier: Apache-2.0
// The unit in which cores pass memory to each other.
#pragma once

#include <cstddef>

namespace teff::base {

inline constexpr std::size_t kCacheLine = 64;

} // namespace teff::base

#define TEFF_LIKELY(x) __builtin_expect(!!(x), 1)
#define TEFF_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TEFF_COLD [[gnu::noinline, gnu::cold]]
// Rarely called, but often where it is called at all, so it is compiled for speed: what probes do.
#define TEFF_APART [[gnu::noinline]]
