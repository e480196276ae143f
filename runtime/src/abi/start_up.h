// SPDX-License-Identifier: Apache-2.0
//
// The functions of abi/ that the library's constructor (library.cpp) calls, each once, before the
// program runs.
#pragma once

namespace teff::abi {

// Makes an allocator if OMP_ALLOCATOR describes one by traits. Called after icv::initialise.
void make_initial_allocator();

// Registers the fork handlers of forked_child.cpp. From then on they run in each forked child
// before the program continues there.
void watch_for_forks();

// Gives the tool interface the functions by which it queries the layers above it.
void initialise_tool_inquiries();

} // namespace teff::abi
