// SPDX-License-Identifier: Apache-2.0
//
// ReadableStack: which words of the thread's current stack can be read.
//
// A walk up the stack follows tables that may be wrong, and programs may change to stacks of their
// own. So a word is read only if its page, and all pages from the stack pointer up to this page,
// are known to be readable. This knowledge holds for one walk: before the next walk the program may
// have unmapped pages of its stack, or may have changed to another stack. Each page costs a system
// call, except the page of the caller's own stack pointer. Used by one thread only.
#pragma once

#include <cstdint>

#include "base/cache_line.h"

namespace teff::probe::trace {

class ReadableStack {
  public:
    // Begins a walk. `stack` is the stack pointer.
    void begin(std::uintptr_t stack);
    // The same, where a signal has interrupted the thread. Its stack pointer may point anywhere: if
    // signals have an alternate stack, code may use this register for other things.
    void begin_interrupted(std::uintptr_t stack);

    // Returns true if the word at `at` can be read. A word below the stack pointer `stack` cannot.
    // Both addresses must be multiples of the word's size, and lie on the stack on which the walk
    // began.
    bool can_read(std::uintptr_t stack, std::uintptr_t at) { return at >= stack && (at < high_ || look(stack, at)); }

  private:
    TEFF_COLD bool look(std::uintptr_t stack, std::uintptr_t at);

    std::uintptr_t high_; // pages are readable up to here; zero at first
};

} // namespace teff::probe::trace
