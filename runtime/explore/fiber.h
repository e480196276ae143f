// SPDX-License-Identifier: Apache-2.0
//
// A fiber has a stack and the point where its code continues. The explored threads are fibers of
// one kernel thread, so the explorer alone decides which of them runs. Destroying a fiber that has
// not ended does not unwind its stack.

#pragma once

#include <cstddef>
#include <ucontext.h>

namespace teff::explore {

class Fiber {
  public:
    using Entry = void (*)(void* argument);

    // Stands for the caller's own stack; switch_to() of another fiber fills it in.
    Fiber() = default;
    // `entry` must not return. Without a stack, for lack of memory, nobody may switch to it.
    Fiber(Entry entry, void* argument, std::size_t stack_bytes = 0); // 0: as explored threads have it
    ~Fiber();
    bool has_stack() const { return stack_ != nullptr; }
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // Saves the present point here and goes on in `next`. Returns when somebody switches back.
    void switch_to(Fiber& next);

  private:
    static void start(unsigned high, unsigned low);

    ucontext_t context_{};
    Entry entry_ = nullptr;
    void* argument_ = nullptr;
    void* stack_ = nullptr;
    std::size_t stack_bytes_ = 0;
};

} // namespace teff::explore
