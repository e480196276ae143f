// SPDX-License-Identifier: Apache-2.0
//
// Our signal, and the program's use of signals beside it.
//
//   - A handler that the program has for our signal is kept, told of in answer to sigaction, and
//     called for each signal that is not ours (`chain`).
//   - Our signal is in the mask of every other handler of the program: while one runs, the thread is
//     not to be taken away, as it may have interrupted malloc.
//   - It is in no mask that the program sets for a thread.
// All this for calls of preemptible code; what a library does with our signal is not seen.
//
// [chain-1] the store of the program's action (release) pairs with a handler's load (acquire). An
//           action never changes once it is stored, and is never freed; equal ones are one.
#pragma once

#include <csignal>

namespace teff::preempt {

// The signal that preemption uses: TEFF_PREEMPT_SIGNAL.
int own_signal();

// Puts our signal into the masks of the handlers that there are. When preemption is prepared.
void keep_own_signal_from_handlers();

// Makes `handler` the signal's handler, once. False, with errno: the system refuses.
bool install(void (*handler)(int, siginfo_t*, void*));

// Gives the signal back to the program's handler. In a forked child.
void uninstall();

// What the program would have seen of a signal that is not ours.
void chain(int signal, siginfo_t* info, void* context);

// Of the calling thread. True: it was not blocked before. Signal-safe; errno is kept.
bool block_own_signal();
void unblock_own_signal();

} // namespace teff::preempt
