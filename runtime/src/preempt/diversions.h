// SPDX-License-Identifier: Apache-2.0
//
// Diversions: a thread that is asked to leave its task while it is inside a library checks the
// request when it returns to the program.
//
// The handler writes the address of `return_entry` (return_entry_x86_64.S) over the return address
// at which the program would continue, and notes that return address. When the library's function
// returns, the thread enters return_entry, which saves all registers, and the thread decides
// whether to leave its task. After that the program continues, with all registers as the function
// has left them. A diversion costs nothing while the library works, and takes effect at the first
// moment at which the thread may leave its task. A timer still asks again, because the thread may
// be in a system call: the timer tells the hooks that the thread cannot leave its task soon
// (handler.h).
//
// If a function never returns (because the program left it by siglongjmp), its note is not removed.
// A note belongs to one slot of the stack. So an old note is found and overwritten when the same
// slot is diverted again, or when the stack has shrunk beyond the slot.
//
// Who may touch what: each thread has its own notes, which only the thread and its handlers use.
#pragma once

#include <cstdint>

#include "preempt/preempt.h"

namespace teff::preempt {

// Called once, before the first call of `divert`. Returns false if return_entry cannot save the
// processor's state: then `divert` does nothing.
bool prepare_diversions();

// Makes the thread look when the function returns whose return address is in `slot`. `stack_low`
// and `stack_pointer`: the part of the thread's stack that is not in use. Returns false if there
// are too many diversions. Called by the thread's handler.
[[nodiscard]] bool divert(std::uintptr_t* slot, const void* stack_low, const void* stack_pointer);

// Undoes the thread's diversions on [low, high): the thread has left this stack, and another thread
// may continue there, which has none of these notes.
void undo_diversions(const void* low, const void* high);

// Returns whether the address that a function returns to is that of a diverted call.
bool is_diverted(const void* return_address);

} // namespace teff::preempt
