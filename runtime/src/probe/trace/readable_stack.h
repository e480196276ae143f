// SPDX-License-Identifier: Apache-2.0
//
// ReadableStack: which words of the stack that a thread is on can be read.
//
// A walk up the stack follows tables that may be wrong, and programs may change to stacks of their
// own. So a word is read only if its page, and all pages from the stack pointer up to it, are known
// to be readable. This knowledge holds for one walk: before the next one the program may have
// unmapped pages of its stack, or be on another stack. Each page costs a system call, except for
// that of the stack pointer. Belongs to one thread.
#pragma once

#include <cstdint>

#include "base/cache_line.h"

namespace teff::probe::trace {

class ReadableStack {
  public:
    // A walk begins on the stack that this word lies on.
    void begin(std::uintptr_t stack);

    // Whether the word at `at` can be read, which must lie at or above the stack pointer. Both are
    // multiples of its size, and of the stack that the walk began on.
    bool can_read(std::uintptr_t stack, std::uintptr_t at) { return at >= stack && (at < high_ || look(stack, at)); }

  private:
    TEFF_COLD bool look(std::uintptr_t stack, std::uintptr_t at);

    std::uintptr_t high_; // pages are readable up to here; zero at first
};

} // namespace teff::probe::trace
