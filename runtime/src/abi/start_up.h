// SPDX-License-Identifier: Apache-2.0
//
// The functions of abi/ that the library's constructor (library.cpp) calls before the program runs,
// and set_defaults, which does a part of the constructor's work again.
#pragma once

#include <string_view>

namespace teff::abi {

// Makes an allocator if OMP_ALLOCATOR describes one by traits. Called when
// the settings have been read.
void make_initial_allocator();

// Registers the fork handlers of forked_child.cpp. From then on they run in each forked child
// before the program continues there.
void watch_for_forks();

// Sets variables as if the environment had them (icv::set_defaults). Returns false, and sets
// nothing, if the process already uses OpenMP.
bool set_defaults(std::string_view text);

// Tells preemption which functions return a thread's copy of a variable. Called before preemption
// begins.
void declare_threadprivate_functions();

// Makes the lock of threadprivate data free. Called in a forked child, where the thread that held
// the lock may not exist.
void forget_threadprivate_users();

// Gives the tool interface the functions by which it queries the layers above it.
void initialise_tool_inquiries();

} // namespace teff::abi
