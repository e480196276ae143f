// SPDX-License-Identifier: Apache-2.0
// The variables of LLVM's libomp and Intel's libiomp5 (KMP_*) that have a meaning here, in terms of
// the standard's. The functions are pure. environment.cpp says what holds if other variables ask
// for the same.
//
// Sources: LLVM's documentation of libomp's environment variables, and Intel's "Thread Affinity
// Interface".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "icv/icv.h"

namespace teff::icv::libomp {

// KMP_AFFINITY: [modifier,...]type[,permute[,offset]]. The modifiers granularity and proclist have
// an effect, the others and the offset have none.
std::optional<LibompAffinity> affinity(std::string_view text);

// KMP_BLOCKTIME: an integer, with ms or us after it (ms if there is none), or "infinite". Returns
// microseconds, at most INT64_MAX.
std::optional<std::int64_t> blocktime_us(std::string_view text);

// KMP_STACKSIZE: as OMP_STACKSIZE, but a number without a suffix is in bytes.
std::optional<std::uint64_t> stacksize(std::string_view text, std::uint64_t low, std::uint64_t high);

} // namespace teff::icv::libomp
