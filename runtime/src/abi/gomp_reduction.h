// SPDX-License-Identifier: Apache-2.0
//
// Task reductions in the layout that GCC compiles in.
//
// GCC hands over a block of words for each construct with task reductions:
//     [0] number of list items   [1] bytes of one thread's private copies   [2] alignment in, address of all copies out
//     [3] allocator (-1: none)   [4] next block of the construct            [5] [6] the runtime's, unused here
// then per item [0] address of the original   [1] offset in a thread's copies   [2] the runtime's.
// Items are ordered by offset, and have the layout of task::ReductionItem. The blocks belong to the
// program, and stay until it unregisters them. GCC's code combines the copies, which it finds by
// [1] and [2].
#pragma once

#include <cstddef>
#include <cstdint>

#include "task/reduction.h"

namespace teff::abi {

// Allocates copies for so many threads and registers one construct's blocks with a group. `first`:
// blocks whose copies these share instead, or null.
void register_blocks(team::Worker& worker, task::Taskgroup& group, std::uintptr_t* blocks, const std::uintptr_t* first,
                     unsigned threads);

// taskgroup task_reduction: with the current taskgroup, which the caller has opened.
void register_taskgroup_blocks(team::Worker& worker, std::uintptr_t* blocks);

// reduction(task, ...) on a work-sharing construct.
task::WorksharingReductions worksharing_reductions(std::uintptr_t* blocks);
// The blocks of the calling member's innermost one.
std::uintptr_t* worksharing_blocks(const team::Worker& worker);

// Frees the copies of one construct's blocks.
void free_blocks(std::uintptr_t* blocks);

// in_reduction: replaces each of the `count` addresses (of an original, or of a copy) by the
// calling thread's copy; for the first `with_original` of them the original's address is stored at
// pointers[count + i].
void remap(team::Worker& worker, std::size_t count, std::size_t with_original, void** pointers);

} // namespace teff::abi
