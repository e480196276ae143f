// SPDX-License-Identifier: Apache-2.0
//
// Teff's signal, and the program's use of signals beside it.
//
//   - A handler that the program installs for Teff's signal is kept, is reported by sigaction, and
//     is called whenever this signal arrives without having been sent by Teff (`chain`).
//   - Teff's signal is in the mask of every other handler of the program. While such a handler
//     runs, its thread must not be preempted, because the handler may have interrupted malloc.
//   - Teff's signal is in no mask that the program sets for a thread.
//
// All this applies to calls by preemptible code. What a library does with Teff's signal is not
// intercepted.
//
// [chain-1] The store of the program's action (release) pairs with a handler's load (acquire). A
//           stored action never changes and is never freed; equal actions are stored only once.
#pragma once

#include <csignal>

namespace teff::preempt {

// Returns the signal that preemption uses: TEFF_PREEMPT_SIGNAL.
int own_signal();

// Adds Teff's signal to the masks of the handlers that exist. Called when preemption is prepared.
void keep_own_signal_from_handlers();

// Makes `handler` the signal's handler; later calls do nothing. Returns false and sets errno if the
// system refuses.
bool install(void (*handler)(int, siginfo_t*, void*));

// Gives the signal back to the program's handler. Called in a forked child.
void uninstall();

// Does what the program would have seen of a signal that is not Teff's: calls the program's action.
void chain(int signal, siginfo_t* info, void* context);

// Block and unblock Teff's signal for the calling thread. block_own_signal returns true if the
// signal was not blocked before. Signal-safe; errno is kept.
bool block_own_signal();
void unblock_own_signal();

} // namespace teff::preempt
