// SPDX-License-Identifier: Apache-2.0
//
// Stacks for code that an explored thread leaves in the middle and returns to later, as a worker
// does with its contexts. The explorer sees one thread, whichever stack the thread is on.
//
// A stack runs one function after another. It is kept after the execution, and the next execution
// reuses it, unless the execution failed and left a function on the stack.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "explore/fiber.h"

namespace teff::explore {

class Stack {
  public:
    using Function = void (*)(void* argument);

    // The caller runs on `from`. Returns when somebody has switched back to `from`. The function
    // ends with leave_for.
    void start(Fiber& from, Function function, void* argument) {
        function_ = function;
        argument_ = argument;
        is_in_use_ = true;
        from.switch_to(fiber_);
    }
    // The caller runs on this stack, for the last time. Returns when the stack is to run another
    // function; then the caller has to return.
    void leave_for(Fiber& to) {
        is_in_use_ = false;
        fiber_.switch_to(to);
    }
    bool is_in_use() const { return is_in_use_; }
    Fiber& fiber() { return fiber_; }

  private:
    static void run(void* stack) {
        auto& self = *static_cast<Stack*>(stack);
        for (;;)
            self.function_(self.argument_);
    }

    Fiber fiber_{&run, this};
    Function function_ = nullptr;
    void* argument_ = nullptr;
    bool is_in_use_ = false;
};

// A stack, or none. It is taken from the stacks that earlier executions have left, and given back
// to them.
class StackInUse {
  public:
    StackInUse() = default;
    ~StackInUse() {
        if (stack_ && !stack_->is_in_use()) idle().push_back(std::move(stack_));
    }
    StackInUse(const StackInUse&) = delete;
    StackInUse& operator=(const StackInUse&) = delete;

    void take() {
        if (idle().empty()) idle().push_back(std::make_unique<Stack>());
        stack_ = std::move(idle().back());
        idle().pop_back();
    }
    explicit operator bool() const { return stack_ != nullptr; }
    Stack* operator->() const { return stack_.get(); }

  private:
    static std::vector<std::unique_ptr<Stack>>& idle() {
        static std::vector<std::unique_ptr<Stack>> stacks;
        return stacks;
    }

    std::unique_ptr<Stack> stack_;
};

} // namespace teff::explore
