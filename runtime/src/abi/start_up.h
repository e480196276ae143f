// SPDX-License-Identifier: Apache-2.0
//
// What the library's constructor (library.cpp) calls once, of the doors that have something to set
// up before the program runs.
#pragma once

namespace teff::abi {

// Makes the allocator that OMP_ALLOCATOR describes by traits, if it does. After icv::initialise.
void make_initial_allocator();

// From then on a forked child does what forked_child.cpp says, before the program sees it.
void watch_for_forks();

// What the tool interface asks the layers above it.
void initialise_tool_inquiries();

} // namespace teff::abi
