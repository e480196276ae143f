// SPDX-License-Identifier: Apache-2.0
// For tests only: a context with a stack of its own. It does not use the pool, so the tests run on
// every processor that the switch supports.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <sys/mman.h>

#include "fiber/context.h"

namespace teff::fiber {

inline After do_nothing() {
    return {[](void*) {}, nullptr};
}

class TestStack {
  public:
    TestStack()
        : memory_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
          context(memory_, static_cast<char*>(memory_) + kBytes) {
        if (memory_ == MAP_FAILED) std::abort();
    }
    ~TestStack() { munmap(memory_, kBytes); }
    TestStack(const TestStack&) = delete;
    TestStack& operator=(const TestStack&) = delete;

  private:
    static constexpr std::size_t kBytes = 256 << 10;
    void* const memory_;

  public:
    Context context;
};

} // namespace teff::fiber
