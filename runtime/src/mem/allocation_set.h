// SPDX-License-Identifier: Apache-2.0
//
// Allocation set: the addresses of Fortran's allocatable variables whose memory is from an OpenMP
// allocator. Code that frees or enlarges an allocatable variable may not know how it was allocated.
// So compilers note its address here when they allocate it, and ask here before they free it.
//
// This is one hash set for the whole process: open addressing, linear probing, at most half full.
// The functions may be called by any thread, and use one lock. There is one call for each
// allocation, which takes a lock as well.
#pragma once

namespace teff::mem {

// Notes the address. If there is no memory, ends the program: without the note, the memory would
// later be freed with the wrong function.
void remember_allocation(void* memory);

// Returns true if the address was noted, and removes the note.
[[nodiscard]] bool forget_allocation(void* memory);

// Makes the lock new. Called in a forked child, where a thread that held the lock is gone; the
// change that the thread was making is lost.
void unlock_allocations();

} // namespace teff::mem
