// SPDX-License-Identifier: Apache-2.0
//
// The replica: this process's copy of the shared memory (heap, stacks, the program's globals), and
// how changes are found and applied.
//
// The memory is a private mapping of an in-memory file that belongs to this process. The file is
// the twin: the last agreed state. A page that has been written since then is no longer a page of
// the file, and the kernel reports such pages (PAGEMAP_SCAN; before Linux 6.7 /proc/self/pagemap).
// No page faults are handled, so system calls may also write into shared memory.
//
//     collect   finds the written pages, compares each with its twin, appends the bytes that differ,
//               writes them into the twin, and drops the private page, so that the file's page is
//               mapped again
//     apply     writes the changes of other processes into the twin; a page that this process has
//               not written then shows these changes
//
// Both run on a stack outside the shared memory (aside.h), and no code of the program runs between
// a collect and the following apply. So when changes arrive, no page is in a written state, except
// pages of the unused part of this process's stack, and no arriving change is hidden by a written
// page.
//
// changes.h has the format of changes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "processes/memory_list.h"

namespace teff::processes::memory {

// Reserves the address range of the heap and the stacks. Called before the first allocation.
void reserve(unsigned processes);

// Makes this process's replica, with the memory's present content. The first process calls this
// function before it starts the other processes. Each of these calls it again, while the first
// process waits.
void make_replica(unsigned processes);

bool is_shared(const void* address);

// A core dump contains only the part of the shared memory that is in use, without the twins.
// note_use says that the heap up to `address` is in use.
void note_use(std::uintptr_t address);
// Says that the stack of the program's thread is in use, too.
void note_stack(std::uintptr_t start, std::uintptr_t end);

// This process's own stack. The part of [start, end) below `live` is unused, and is not collected.
struct Stack {
    std::uintptr_t start, end, live;
};

void collect(List<std::byte>& list, Stack stack);
void apply(const std::byte* list, std::size_t bytes);

} // namespace teff::processes::memory
