// SPDX-License-Identifier: Apache-2.0
//
// Work apart from the program: what the recorder does with files.
//
// Descriptors are numbers that the program counts on: the next file that it opens gets the lowest
// free one, and it closes or replaces numbers that it does not know. So the recorder never holds
// one in the program's table, be it for an instant. `run_apart` starts a thread for the time of the
// call, which gives up that table for an empty one of its own, works, and ends; the caller waits
// for it. They share the memory: what the work maps, the caller has.
//
// Signals that the work raises (SIGXFSZ, SIGPIPE) reach that thread, which has them blocked, and go
// with it. Nothing is left when the call returns: no thread, no descriptor. A child that another
// thread forks meanwhile gets neither.
//
// The thread has the caller's thread-local variables and a small stack, and the C library does not
// know it. So the work makes its system calls by `call` (calls.h), and calls nothing that could
// block, ask for memory or end the thread.
#pragma once

#include "probe/trace/guest.h"

namespace teff::probe::trace {

// One call at a time uses it.
struct ApartStack {
    static constexpr std::size_t kBytes = 16 << 10;
    alignas(16) char bytes[kBytes];
};

// 0: the work has been done. Else an errno value: none of it has been, for no thread could be
// started.
[[nodiscard]] int run_apart(const Guest& guest, ApartStack& stack, void (*work)(void*), void* argument);

// The same for a function object.
template <class Work> int run_apart(const Guest& guest, ApartStack& stack, Work& work) {
    const auto call_it = [](void* argument) { (*static_cast<Work*>(argument))(); };
    return run_apart(guest, stack, call_it, &work);
}

} // namespace teff::probe::trace
