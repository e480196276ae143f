// SPDX-License-Identifier: Apache-2.0
//
// The replica: this process's copy of the shared memory (heap, stacks, the program's globals), and
// how changes are found and taken over.
//
// The memory is a private mapping of a file in memory that is this process's own. The file is the
// twin: the state last agreed on. A page that has been written since is no longer a page of the
// file, which the kernel tells (PAGEMAP_SCAN; before Linux 6.7 /proc/self/pagemap). No fault is
// ever handled, so that system calls may write into shared memory, too.
//
//     collect   finds the written pages, compares each with its twin, appends the bytes that differ,
//               writes them into the twin, and gives the page up: it is the file's again
//     apply     writes the changes of others into the twin; pages that are not written show them
//
// Both run on a stack outside the shared memory (aside.h), and nothing of the program runs between
// a collect and the apply that follows it: so when changes arrive, no page but those of the dead
// part of the own stack is written, and nothing that arrives is hidden.
//
// What changes look like is in changes.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "processes/memory_list.h"

namespace teff::processes::memory {

// Reserves the range of heap and stacks; before the first allocation.
void reserve(unsigned processes);

// This process gets a replica with the memory's present content. The first process calls it before
// it starts the others; each of those calls it anew, while the first one waits.
void make_replica(unsigned processes);

bool is_shared(const void* address);

// A core dump has of the shared memory what is in use, and neither twins nor the rest. Heap up to
// there is in use:
void note_use(std::uintptr_t address);
// and so is the stack of the program's thread.
void note_stack(std::uintptr_t start, std::uintptr_t end);

// The own stack: what lies below `live` in [start, end) is nobody's business.
struct Stack {
    std::uintptr_t start, end, live;
};

void collect(List<std::byte>& list, Stack stack);
void apply(const std::byte* list, std::size_t bytes);

} // namespace teff::processes::memory
