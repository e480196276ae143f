// SPDX-License-Identifier: Apache-2.0
//
// Allocation set: the addresses of Fortran's allocatable variables whose memory comes from an
// OpenMP allocator. Code that frees or enlarges an allocatable variable may not know how the
// variable was allocated. So compilers record the address here when they allocate the variable, and
// query it here before they free the variable.
//
// The process has one such set. It is a hash set with open addressing and linear probing, and is at
// most half full. Any thread may call the functions. They use one lock. The cost of this lock is
// small compared with the allocation, which also takes a lock.
#pragma once

namespace teff::mem {

// Records the address. If there is no memory, ends the program, because without the record the
// memory would later be freed with the wrong function.
void remember_allocation(void* memory);

// Removes the address from the set. Returns true if it was in the set.
[[nodiscard]] bool forget_allocation(void* memory);

// Makes the lock new. Called in a forked child. If another thread held the lock at the fork, the
// change that it was making is lost.
void unlock_allocations();

} // namespace teff::mem
