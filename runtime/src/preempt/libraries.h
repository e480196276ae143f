// SPDX-License-Identifier: Apache-2.0
//
// Libraries: the code of others, in which a thread may not be left, and the way from there back to
// the program.
//
// A thread that is asked while it is in a library must first return to the program. The stack
// tells where: the library's tables (probe/trace/frame_rules.h) lead from frame to frame, up to the
// first return address in preemptible code. diversions.h makes the thread look when it returns
// there.
//
// Two kinds of functions are exceptions. A pure function keeps no state, so a thread may be left in
// it at once: all of the mathematical library, and the memory and string functions of the C
// library. And some functions of the C library must not be diverted: those that return twice
// (setjmp, vfork), that leave frames without returning (longjmp, pthread_exit), and that call the
// program back (qsort), from where an exception may pass through their frames, or that read who
// calls them (dlsym). No way leads through a library that uses the C++ library, because an
// exception may be on its way there.
//
// Known are the files that are loaded when preemption is prepared; they stay loaded for good. The
// functions here are signal-safe, except learn_libraries, which reads all files' headers and takes
// the dynamic linker's lock.
#pragma once

#include <cstdint>
#include <optional>

namespace teff::preempt {

// Called once, before any handler is installed.
void learn_libraries();

// Where a thread stands, or where it will return to.
struct Registers {
    std::uintptr_t instruction;
    std::uintptr_t stack_pointer;
    std::uintptr_t frame_pointer; // %rbp
};

// The way from a library back to the program.
struct WayBack {
    std::uintptr_t* slot; // where the stack has the address at which the program goes on
    bool is_pure;         // all functions on the way are pure: the thread may be left where it stands
    bool is_short;        // it is in the C library or in the runtime, and in no system call
};

// Returns the way from `at` to the program; nothing if it cannot be told, or must not be used.
// `stack_end`: the end of the stack that the thread is on.
std::optional<WayBack> way_back(const Registers& at, const void* stack_end);

} // namespace teff::preempt
