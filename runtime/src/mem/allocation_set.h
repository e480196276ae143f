// SPDX-License-Identifier: Apache-2.0
//
// Addresses of the allocatable variables of Fortran whose memory is from an OpenMP allocator. Code
// that frees or enlarges such a variable may not know how it was allocated, so compilers note it
// here first, and ask before they free.
//
// A hash set over the whole process: open addressing, linear probing, at most half full. Any
// thread, under one lock: there is one call for each allocation, which takes a lock as well.
#pragma once

namespace teff::mem {

// Out of memory ends the program: to forget the address would free it with the wrong function
// later.
void remember_allocation(void* memory);

// Whether it was remembered; it is forgotten then.
[[nodiscard]] bool forget_allocation(void* memory);

// In a forked child: whoever held the lock is gone. What he was about to note is lost.
void unlock_allocations();

} // namespace teff::mem
