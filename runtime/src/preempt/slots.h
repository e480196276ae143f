// SPDX-License-Identifier: Apache-2.0
//
// The slots through which a loaded file calls functions of other files. A slot is the word in which
// the dynamic linker has stored a function's address, or would store it at the first call. See
// decision 0016.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "preempt/interpose.h"
#include "preempt/loaded.h"

namespace teff::preempt {

// Makes each slot of `object` that stands for an interposed function hold the runtime's function.
// Returns false if the system does not allow a slot to be written; the object's code must then not
// be preempted. Called once for each object. Other threads may call through the slots meanwhile.
[[nodiscard]] bool patch_slots(const Loaded& object);

// Names the functions that return the calling thread's copy of a variable. A call of one of them
// counts as the use of a thread-local variable. The names must stay; called before preemption
// begins.
void set_functions_of_copies(std::span<const std::string_view> names);

// Returns true if this is the name of such a function.
[[nodiscard]] bool makes_copy_of_thread(std::string_view name);

// Returns true if the object uses thread-local variables of other objects. Code that calls
// std::call_once does so: the inline part of std::call_once stores the callable in a thread-local
// variable of the C++ library.
[[nodiscard]] bool uses_thread_locals_of_others(const Loaded& object);

// The function whose address a slot holds.
struct SlotFunction {
    const char* name;
    std::uintptr_t own_code; // where the object itself defines it; 0: it does not
};

// Returns the function of the slot at this address. Returns nothing if the dynamic linker fills
// nothing in there, or something else, or if the address is chosen at run time (STT_GNU_IFUNC).
[[nodiscard]] std::optional<SlotFunction> function_of_slot(const Loaded& object, std::uintptr_t slot);

// Calls visit(argument, address) for each function that other objects can call by its name. Stops
// when a call returns false. Returns false if a call did so, or if the functions cannot be told.
[[nodiscard]] bool for_each_exported(const Loaded& object, bool (*visit)(void* argument, std::uintptr_t function),
                                     void* argument);

} // namespace teff::preempt
