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

// Not from within another: see is_aside.
template <class Function> void aside(Function function) {
    detail::run_aside([](void* argument) { (*static_cast<Function*>(argument))(); }, &function);
}

bool is_aside();

// For a signal's handler, on a stack of its own: the program's stack is in use down to `live`.
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
// Gives the calling thread, the program's, a stack for the runtime's handlers. They leave it to be
// aside, and then it seems free: meanwhile no other handler may come.
void make_handler_stack();
// What such a handler keeps out: all but what an instruction of its own raises.
sigset_t others_while_handling();

// The program's stack, as it was left for here.
memory::Stack left_stack();
// Where the program's stack lies; nothing until set.
void set_stack(std::uintptr_t start, std::uintptr_t end);

} // namespace teff::processes
