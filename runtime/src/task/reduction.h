// SPDX-License-Identifier: Apache-2.0
//
// Task reductions, in the layout that GCC compiles in.
//
// GCC hands over a block of words for each construct with task reductions:
//     [0] number of list items   [1] bytes of one thread's private copies   [2] alignment in, base address of all copies out
//     [3] allocator (-1: none)   [4] next block
//     [5] the runtime's: whether this is its construct's first block   [6] the runtime's: end of the copies
// then per item [0] address of the original [1] offset in a thread's copies [2] the runtime's:
// links of the block's index. Items stand by offset. We allocate `threads` times [1] zeroed bytes;
// thread t's copies lie at base + t * [1]. Members of a group search the blocks of their own and of
// the enclosing groups, innermost first: blocks are chained by [4]. A search takes a few steps in
// each block: an original is found by a hash of its address, a copy by its offset.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/call_site.h"
#include "team/worker.h"

namespace teff::task {

// taskgroup task_reduction: for the current taskgroup, which the caller has opened. Blocks that are chained on entry belong to one construct.
void register_reductions(team::Worker& worker, std::uintptr_t* blocks);
// Frees the copies of one construct's blocks.
void free_reductions(std::uintptr_t* blocks);

// reduction(task, ...) on parallel: allocates for a team of `threads` before it starts. The blocks go to its implicit tasks' group.
void allocate_reductions(std::uintptr_t* blocks, unsigned threads);

// reduction(task, ...) on a work-sharing construct: opens a taskgroup on the calling member and registers there. `first` is null for the
// first member; the others pass that one's blocks, whose copies they share.
void register_worksharing(team::Worker& worker, std::uintptr_t* blocks, std::uintptr_t* first);
// ... and its end on the calling member: waits for the group. Returns the blocks, for member 0 to free when every member is past this.
std::uintptr_t* end_worksharing(team::Worker& worker, base::CallSite site);

// in_reduction: replaces each of the `count` addresses (of an original, or of a copy) by the calling thread's copy; for the first
// `with_original` of them the original's address is stored at pointers[count + i].
void remap_reductions(team::Worker& worker, std::size_t count, std::size_t with_original, void** pointers);

} // namespace teff::task
