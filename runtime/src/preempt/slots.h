// SPDX-License-Identifier: Apache-2.0
//
// The slots through which a loaded file calls functions of others: where the dynamic linker has
// stored, or would store at the first call, a function's address. Decision 0016.
#pragma once

#include "preempt/interpose.h"
#include "preempt/loaded.h"

namespace teff::preempt {

// Lets each slot of `object` that stands for an interposed function hold ours. False: the system
// does not let one be written; the object's code is then not to be preempted. Once per object;
// other threads may call through the slots meanwhile.
[[nodiscard]] bool patch_slots(const Loaded& object);

// Whether the object reaches thread-local variables of other objects: as code does that calls
// std::call_once, whose inline part leaves the callable in one of the C++ library's.
[[nodiscard]] bool uses_thread_locals_of_others(const Loaded& object);

} // namespace teff::preempt
