// SPDX-License-Identifier: Apache-2.0
//
// The functions of the C and C++ libraries that Teff intercepts in preemptible code while
// preemption is on. Each calls the real function, and does one of these in addition:
//
//   interpose_locks.cpp      holds from a lock's taking to its release: a task that was preempted with
//                            a lock could be waited for by the one that runs in its place
//   interpose_callbacks.cpp  holds while the library calls the program back with a lock of its own
//                            taken or something half done, and from a static's guard to its release
//   interpose_sleeps.cpp     marks the thread as asleep and keeps our signal from it, so that a call
//                            that a signal would end early lasts as long as it has to
//   interpose_signals.cpp    keeps our signal and its handler apart from the program's
//
// slots.h says how calls of preemptible code come here. Other code calls the real functions: a
// library that takes a lock inside one of its own functions needs no more, as its code is never
// interrupted. This does not cover the rare lock that preemptible code takes and a library
// releases, or the other way round (docs/preemption.md).
//
// A function here is called instead of the real one at any time, on any thread, also on one that is
// not registered, and also once preemption is off (in a forked child).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace teff::preempt {

enum class Condition : std::uint8_t {
    always,
    new_version, // not a reference to the version of 2002, whose objects differ (pthread_cond_*)
    no_run_path, // not from an object with a search path of its own: the real function depends on its caller's
};

struct Interposed {
    const char* name;
    void* function; // null: the real one is not loaded, and so is not called
    Condition condition = Condition::always;
};

// Null: it is called directly.
const Interposed* find_interposed(const char* name);

// Of each file.
std::span<const Interposed> interposed_locks();
std::span<const Interposed> interposed_callbacks();
std::span<const Interposed> interposed_sleeps();
std::span<const Interposed> interposed_signals();

// Looks for the real functions that the runtime is not linked with. Not under the dynamic linker's
// lock.
void find_real_functions();

template <class Function> void* address_of(Function* function) { return reinterpret_cast<void*>(function); }

} // namespace teff::preempt
