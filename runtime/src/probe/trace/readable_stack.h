// SPDX-License-Identifier: Apache-2.0
//
// ReadableStack: which words of the stack that a thread is on can be read.
//
// A walk up the stack follows tables that may be wrong, and programs change to stacks that nobody
// has told of. So a word is read only where its page, and all pages from the stack pointer up to
// it, are known to be readable. What is known of one stack is kept while the thread is on it, or
// near it; a page costs a system call when it is new. One thread's own.
#pragma once

#include <cstdint>

#include "base/cache_line.h"

namespace teff::probe::trace {

class ReadableStack {
  public:
    // Whether the word at `at` can be read, which must lie at or above the stack pointer. Both are
    // multiples of its size.
    bool can_read(std::uintptr_t stack, std::uintptr_t at) {
        if (at < stack) return false;
        return (stack >= low_ && at < high_) || look(stack, at);
    }

  private:
    TEFF_COLD bool look(std::uintptr_t stack, std::uintptr_t at);

    // Pages of it are readable from and until; all zero at first.
    std::uintptr_t low_;
    std::uintptr_t high_;
};

} // namespace teff::probe::trace
