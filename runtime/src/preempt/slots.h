// SPDX-License-Identifier: Apache-2.0
//
// The slots through which a loaded file calls functions of other files. A slot is the word in which
// the dynamic linker has stored a function's address, or would store it at the first call. See
// decision 0016.
#pragma once

#include "preempt/interpose.h"
#include "preempt/loaded.h"

namespace teff::preempt {

// Makes each slot of `object` that stands for an interposed function hold the runtime's function.
// Returns false if the system does not allow a slot to be written; the object's code must then not
// be preempted. Called once for each object. Other threads may call through the slots meanwhile.
[[nodiscard]] bool patch_slots(const Loaded& object);

// Returns true if the object uses thread-local variables of other objects. Code that calls
// std::call_once does so: the inline part of std::call_once stores the callable in a thread-local
// variable of the C++ library.
[[nodiscard]] bool uses_thread_locals_of_others(const Loaded& object);

} // namespace teff::preempt
