// SPDX-License-Identifier: Apache-2.0
//
// Task reductions in the layout of the code that GCC compiles.
//
// GCC passes a chain of blocks of words for each construct with task reductions. A block:
//     [0] number of list items   [1] bytes of one thread's private copies   [2] alignment in, address of all copies out
//     [3] allocator (-1: none)   [4] next block of the construct            [5] [6] the runtime's, unused here
// Then, for each item: [0] address of the original   [1] offset in a thread's copies   [2] the runtime's.
// The items are in the order of their offsets, and have the layout of task::ReductionItem. The
// blocks belong to the program, and remain valid until the program unregisters them. GCC's code
// combines the copies, which it finds by the words [1] and [2] of the block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "task/reduction.h"

namespace teff::abi {

// Registers the blocks of one construct with a group. If `first` is null, allocates private copies
// for `threads` threads; otherwise the blocks share the copies of `first`, the blocks of another
// member for the same construct.
void register_blocks(team::Worker& worker, task::Taskgroup& group, std::uintptr_t* blocks, const std::uintptr_t* first,
                     unsigned threads);

// For taskgroup task_reduction: registers the blocks with the current taskgroup, which the caller
// has opened.
void register_taskgroup_blocks(team::Worker& worker, std::uintptr_t* blocks);

// Returns the description of reduction(task, ...) on a work-sharing construct. `blocks` may be
// null: the construct has no task reductions.
task::WorksharingReductions worksharing_reductions(std::uintptr_t* blocks);
// Returns the blocks of the innermost work-sharing construct with task reductions of the calling
// member. Requires the construct's taskgroup to be the current taskgroup.
std::uintptr_t* worksharing_blocks(const team::Worker& worker);

// Frees the copies of one construct's blocks.
void free_blocks(std::uintptr_t* blocks);

// For in_reduction: replaces each of the first `count` elements of `pointers`, the address of an
// original or of a copy, by the address of the calling thread's copy. For the first `with_original`
// elements i, also stores the original's address at pointers[count + i].
void remap(team::Worker& worker, std::size_t count, std::size_t with_original, void** pointers);

} // namespace teff::abi
