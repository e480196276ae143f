// SPDX-License-Identifier: Apache-2.0
//
// TEFF_PREEMPT=kernel: requests start the ticks of the kernel module (kernel/README.md) in place of
// signals. Each registered thread has a slot, which is armed while something waits for the thread.
// A tick enters it at a safe instruction, as far as the module can tell: in preemptible code, while
// nothing holds, with space on the stack that the slot names. on_tick (handler.h) then decides as
// after a signal. Where the module found no safe instruction, it ticks again.
//
//     dormant ──start_module_ticks──> armed ──tick──> on_tick ──> stop_module_ticks: dormant
//                                      └<──missed─┘
//
// A thread without a slot (the process does not use the module, or the module refused it) is asked
// by signals.
//
// Owns the open device, one in the process; it is never closed, but in a forked child.
// Who may touch what: starting is for any thread, and needs a system call unless the slot ticks
// already; the rest is for the thread itself. Binding and telling ranges take a lock; starting and
// stopping take none, and are signal-safe.
#pragma once

#include "preempt/preempt.h"

namespace teff::preempt {

// Opens the device if that was not done, and gives the thread a slot. Below 0: minus an errno
// value, and there is none; explain_module_error says what it means.
[[nodiscard]] int bind_to_module(Target& self);
void unbind_from_module(Target& self);
const char* explain_module_error(int result);

// Tells the module the code ranges that there are by now, if it is used.
void tell_module_code();

// Where the thread goes on when the runtime returns to the program.
void tell_module_stack(Target& self, const Stack& stack);

// False: there is no slot.
bool start_module_ticks(const Target& target, std::uint32_t priority);
// Whoever looks at the target's word after this sees what was asked for before the last start, or
// the slot stays armed ([tick-1], tick_source.h).
void stop_module_ticks(Target& self);

// In a forked child.
void forget_module();

} // namespace teff::preempt
