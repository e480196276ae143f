// SPDX-License-Identifier: Apache-2.0
//
// On AArch64 nothing is diverted. A call leaves its return address in a register, and the called
// function may store it anywhere in its frame. Only the rules for this frame say where the address
// is, and these rules are not read on AArch64 (probe/trace/frame_rules_aarch64.cpp). If a thread is
// asked to leave its task while it is in a library, its timer asks again.
#include "preempt/diversions.h"

namespace teff::preempt {

bool prepare_diversions() { return false; }

bool divert(std::uintptr_t*, const void*, const void*) { return false; }

void undo_diversions(const void*, const void*) {}

bool is_diverted(const void*) { return false; }

} // namespace teff::preempt
