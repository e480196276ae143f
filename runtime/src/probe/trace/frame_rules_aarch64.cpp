// SPDX-License-Identifier: Apache-2.0
//
// On AArch64 the caller of a function cannot be determined: a FrameRule says how to find the caller
// on x86-64, where the return address is always in the word below the canonical frame address. So
// recordings have no call paths, and preemption does not know the way from a library to the
// program.
#include "probe/trace/frame_rules.h"

namespace teff::probe::trace {

FrameRule frame_rule(std::uintptr_t, const void*, FunctionCode* function) {
    if (function != nullptr) *function = {};
    return {};
}

} // namespace teff::probe::trace
