// SPDX-License-Identifier: Apache-2.0
//
// The functions of the C and C++ libraries that Teff intercepts in preemptible code while
// preemption is on. Each intercepting function calls the real function, and also does one of the
// following:
//
//   interpose_locks.cpp      holds preemption off while the program has a lock: otherwise the task
//                            that runs in place of a preempted task could wait for a lock that the
//                            preempted task holds
//   interpose_callbacks.cpp  holds preemption off while the library calls the program back and
//                            meanwhile holds a lock, or has done only a part of its work; and from
//                            the acquisition of a static variable's guard to its release
//   interpose_sleeps.cpp     marks the thread as asleep and keeps Teff's signal from it, because the
//                            signal would end some calls early
//   interpose_signals.cpp    keeps Teff's signal and its handler apart from the program's
//
// slots.h says how calls of preemptible code are directed here. Other code calls the real
// functions. A library that takes a lock inside one of its own functions needs no interception,
// because its code is never interrupted. A rare case is not handled: a lock that preemptible code
// takes and a library releases, or that a library takes and preemptible code releases
// (docs/preemption.md).
//
// A function here may be called instead of the real function at any time, on any thread, including
// threads that are not registered, and also after preemption was switched off (in a forked child).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace teff::preempt {

enum class Condition : std::uint8_t {
    always,
    new_version, // not for references to the version of 2002, whose objects differ (pthread_cond_*)
    no_run_path, // not for objects with a search path of their own: the real function depends on its caller's
};

struct Interposed {
    const char* name;
    void* function; // null: the real function is not loaded, and so is not called
    Condition condition = Condition::always;
};

// Returns the interposed function of this name, or null if the program calls it directly.
const Interposed* find_interposed(const char* name);

// The intercepting functions of each file.
std::span<const Interposed> interposed_locks();
std::span<const Interposed> interposed_callbacks();
std::span<const Interposed> interposed_sleeps();
std::span<const Interposed> interposed_signals();

// Looks for the real functions that the runtime is not linked with. Must not be called under the
// dynamic linker's lock.
void find_real_functions();

template <class Function> void* address_of(Function* function) { return reinterpret_cast<void*>(function); }

} // namespace teff::preempt
