// SPDX-License-Identifier: Apache-2.0
// The size of a cache line, the unit in which cores exchange memory; and attributes and hints for
// the compiler.
#pragma once

#include <cstddef>

namespace teff::base {

inline constexpr std::size_t kCacheLine = 64;

} // namespace teff::base

#define TEFF_LIKELY(x) __builtin_expect(!!(x), 1)
#define TEFF_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TEFF_COLD [[gnu::noinline, gnu::cold]]
// For functions that most programs never call but other programs call often, such as those of the
// probes. They are not inlined, but are optimised for speed.
#define TEFF_APART [[gnu::noinline]]
