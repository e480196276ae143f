// SPDX-License-Identifier: Apache-2.0
// The part of a context switch that cannot be written in C++: context_x86_64.S, context_aarch64.S.
// Called only by context.cpp and stack_pool.cpp.
#pragma once

#if defined(__x86_64__)
#include "fiber/frame_x86_64.h"
#elif defined(__aarch64__)
#include "fiber/frame_aarch64.h"
#endif

extern "C" {

// Pushes the caller's frame, stores the frame's address into `*saved`, and continues where `target`
// was saved. The call that saved `target` then returns `message`.
void* teff_fiber_switch(teff::fiber::Frame** saved, teff::fiber::Frame* target, void* message);

// Pushes and stores the caller's frame in the same way, but continues in `entry(message)` on the
// empty stack that ends at `top`, a multiple of 16. `entry` never returns. The control words for
// floating point stay as the caller has them.
void* teff_fiber_start(teff::fiber::Frame** saved, void* top, void (*entry)(void* message), void* message);

// The lowest frame of every started stack. Unwinders end here, because the frame has no return
// address.
void teff_fiber_base();

// Makes a client request to valgrind: a number and five arguments. Does nothing and returns 0 if
// the program does not run under valgrind.
unsigned long teff_fiber_ask_valgrind(const unsigned long request[6]);

} // extern "C"
