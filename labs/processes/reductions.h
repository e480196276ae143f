// SPDX-License-Identifier: Apache-2.0
//
// Task reductions, in the layout that GCC's code uses (described in abi/gomp_reduction.h): blocks
// of words on the program's stack, linked by their fifth word. There is one copy for each member in
// the shared heap; each process writes its own copy, and the exchange of changes brings the copies
// together. A task has the list of its blocks, and takes the list along to other processes.
#pragma once

#include <cstdint>

namespace teff::processes::reductions {

// Called for a work-sharing construct or region; either argument may be null. All members of a
// construct use the same copies, which the first member to arrive makes.
void begin_worksharing(std::uintptr_t* blocks, void** memory);
void end_worksharing();

// The blocks apply to the current task and the tasks that it creates, until the taskgroup ends.
void begin_taskgroup(std::uintptr_t* blocks);
void release(std::uintptr_t* blocks);

void remap(std::size_t count, std::size_t with_original, void** pointers);

} // namespace teff::processes::reductions
