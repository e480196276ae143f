// SPDX-License-Identifier: Apache-2.0
//
// TEFF_PREEMPT=kernel: requests start the ticks of the kernel module (labs/kernel/README.md)
// instead of sending signals. Each registered thread has a slot, which is armed while a task that
// should run on the thread waits. A tick enters the thread at an instruction that is safe as far as
// the module can know: the instruction is in preemptible code, the thread has no hold, and there is
// space on the stack that the slot names. on_tick (handler.h) then decides as after a signal. If
// the module found no safe instruction, it ticks again.
//
//     dormant ──start_module_ticks──> armed ──tick──> on_tick ──> stop_module_ticks: dormant
//                                      └<──missed─┘
//
// A thread without a slot is asked by signals. A thread has no slot if the process does not use the
// module or the module refused the thread.
//
// This file owns the open device, of which a process has one. The device is closed only in a forked
// child. Who may touch what: any thread may start ticks. Starting them needs a system call, unless
// the slot's ticks have been started already. The other functions are for the thread itself.
// Binding a thread and passing ranges to the module take a lock. Starting and stopping take no lock
// and are signal-safe.
#pragma once

#include "preempt/preempt.h"

namespace teff::preempt {

// Opens the device if it is not open, and gives the thread a slot. Returns a negative errno value
// if the thread has no slot; explain_module_error says what the value means.
[[nodiscard]] int bind_to_module(Target& self);
void unbind_from_module(Target& self);
const char* explain_module_error(int result);

// Tells the module the code ranges that are known by now, if the module is used.
void tell_module_code();

// Tells the module the stack on which the thread continues when the runtime returns to the program.
void tell_module_stack(Target& self, const Stack& stack);

// Returns false if the thread has no slot.
bool start_module_ticks(const Target& target, std::uint32_t priority);
// Stops the ticks. A thread that looks at the target's word after this call sees what was asked for
// before the last start, or the slot stays armed ([tick-1], tick_source.h).
void stop_module_ticks(Target& self);

// Called in a forked child. Closes the device.
void forget_module();

} // namespace teff::preempt
