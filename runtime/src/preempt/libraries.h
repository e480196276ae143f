// SPDX-License-Identifier: Apache-2.0
//
// Libraries: code in which a thread must not leave its task, and how to find the place where the
// thread returns from a library to the program.
//
// A thread that is asked while it is in a library must first return to the program. The place of
// this return is found on the stack: the library's tables (probe/trace/frame_rules.h) lead from
// frame to frame, up to the first return address in preemptible code. diversions.h makes the thread
// check the request when it returns there.
//
// Not every function can be diverted. A function may return twice (setjmp, vfork), leave frames
// without returning (longjmp), read the address of its caller (dlsym), or call the program back
// (qsort), where an exception may be thrown that cannot be unwound through the diverted frame. So
// only these functions are diverted:
//
//   the C library       the functions that libraries.cpp lists by name
//   libm, the vdso      all functions
//   OpenBLAS, BLAS      all functions but those of LAPACK that call the program back (dgees)
//   the runtime         all functions but those that take the place of the C library's (interpose.h)
//
// In the functions for memory and strings that libraries.cpp lists (memcpy, strcmp), which keep no
// state, a thread may leave its task at once.
//
// These files stay loaded for good. The functions here are signal-safe, except learn_libraries,
// which reads the headers of all files and takes the dynamic linker's lock.
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
    bool in_system_call;  // the thread may not come back soon
};

// Returns the way from `at` to the program; nothing if it cannot be told, or must not be used.
// `stack_end`: the end of the stack that the thread is on.
std::optional<WayBack> way_back(const Registers& at, const void* stack_end);

} // namespace teff::preempt
