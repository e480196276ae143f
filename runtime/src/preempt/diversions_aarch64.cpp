// SPDX-License-Identifier: Apache-2.0
//
// On AArch64 nothing is diverted. A call leaves its return address in a register, and where the
// called function has stored it, only the rules of the function's frame tell, which are not read
// here (probe/trace/frame_rules_aarch64.cpp). A thread that is asked while it is in a library is
// asked again by its timer.
#include "preempt/diversions.h"

namespace teff::preempt {

bool prepare_diversions() { return false; }

bool divert(std::uintptr_t*, const void*, const void*) { return false; }

bool is_diverted(const void*) { return false; }

} // namespace teff::preempt
