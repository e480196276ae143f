// SPDX-License-Identifier: Apache-2.0
//
// Task reductions, in the layout that GCC compiles in (abi/gomp_reduction.h tells it): blocks of
// words on the program's stack, linked by their fifth word. The copies, one for each member, lie in
// the shared heap, so that each process writes its own and the changes come together. A task knows
// the blocks that hold for it, which go with it to other processes.
#pragma once

#include <cstdint>

namespace teff::processes::reductions {

// Of a work-sharing construct or region; either may be null. All members of a construct get the
// same copies: the first to arrive makes them.
void begin_worksharing(std::uintptr_t* blocks, void** memory);
void end_worksharing();

// For the current task and those that it creates, until the taskgroup's end.
void begin_taskgroup(std::uintptr_t* blocks);
void release(std::uintptr_t* blocks);

void remap(std::size_t count, std::size_t with_original, void** pointers);

} // namespace teff::processes::reductions
