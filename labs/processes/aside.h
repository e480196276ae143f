// SPDX-License-Identifier: Apache-2.0
//
// Aside: runs a function on a stack of the runtime's own, outside the shared memory.
//
// While changes are collected and applied, the pages of the program's stack are unmapped and mapped
// again, so no code may run on that stack. Only the one thread of each process that runs the
// program calls this.
#pragma once

#include <csignal>
#include <cstdint>

#include "processes/memory.h"

namespace teff::processes {

namespace detail {
void run_aside(void (*function)(void*), void* argument);
}

// Must not be called inside another aside: see is_aside.
template <class Function> void aside(Function function) {
    detail::run_aside([](void* argument) { (*static_cast<Function*>(argument))(); }, &function);
}

bool is_aside();

// For a signal handler on a separate stack. The program's stack is in use down to `live`.
class Interrupted {
  public:
    explicit Interrupted(std::uintptr_t live);
    ~Interrupted();
    Interrupted(const Interrupted&) = delete;
    Interrupted& operator=(const Interrupted&) = delete;

  private:
    std::uintptr_t before_;
};
bool is_interrupted();

bool is_on_program_stack();
// Gives the calling thread, which is the program's, a stack for the runtime's handlers. When a
// handler leaves this stack to be aside, the stack seems to be free, so no other handler may run
// meanwhile.
void make_handler_stack();
// The signals that such a handler blocks: all except those that its own instructions raise.
sigset_t others_while_handling();

// The program's stack at the time when the thread left it to be aside.
memory::Stack left_stack();
// Sets where the program's stack lies. Before this call the program has no stack here.
void set_stack(std::uintptr_t start, std::uintptr_t end);

} // namespace teff::processes
