// SPDX-License-Identifier: Apache-2.0
//
// The program's heap: this process's arena of the shared range (layout.h).
//
// A block has a header of 16 bytes in front of the program's memory, which all processes can read.
// Sizes are rounded up to size classes, four for each doubling. A free block is in the list of its
// class, which only the owner of the arena uses; a block that another process frees goes back to
// the owner by a message (`freed_of_others`). Blocks are never merged or split. Called only by the
// thread that runs the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "processes/memory_list.h"

namespace teff::processes::heap {

// Called when the process learns its rank. From then on this arena belongs to the process.
void become(unsigned rank, unsigned processes);

void* allocate(std::size_t bytes);
void* allocate_zeroed(std::size_t bytes, std::size_t alignment = 16);
void* allocate_aligned(std::size_t alignment, std::size_t bytes);
void* resize(void* block, std::size_t bytes);
void release(void* block);
std::size_t usable(const void* block);

// Whether the address lies in some process's arena.
bool owns(const void* address);

// Blocks of other processes that were freed here, and have to be sent to their owners.
struct FreedOfOthers {
    List<std::uint64_t> blocks;
    std::size_t bytes = 0;

    void clear() { blocks.clear(), bytes = 0; }
};
FreedOfOthers& freed_of_others();
unsigned owner(std::uint64_t block);

} // namespace teff::processes::heap
