// SPDX-License-Identifier: Apache-2.0
//
// Task reductions: records that say where the threads' private copies of list items lie, so that a
// task can find the copy of the thread that runs it.
//
// A construct with task reductions registers parts with a taskgroup. A part is a set of list items
// whose copies lie together: the copies of thread t begin at `copies` + t * `bytes`. The entry
// points for a compiler describe each part, from the layout that this compiler uses
// (abi/gomp_reduction.h). The memory of the items and the copies belongs to the entry points, which
// keep this memory until the group has ended and then free the copies. The taskgroup owns the
// records that this file declares.
//
// A search visits the parts of the current taskgroup and of the enclosing taskgroups, innermost
// first. In each part the search is short: an original is found by a hash of its address, a copy by
// its offset.
//
// The thread that registers a part writes its records. The searching threads run tasks of the
// group, so they read the records after they were written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "team/worker.h"

namespace teff::task {

struct ReductionItem {
    std::uintptr_t original; // address of the list item
    std::uintptr_t offset;   // of the item's copy, from the beginning of a thread's copies
    std::uintptr_t links;    // the links of the part's index: reduction.cpp
};

struct ReductionPart {
    ReductionItem* items; // sorted by offset
    std::size_t count;
    char* copies;
    std::size_t bytes; // size of one thread's copies
    unsigned threads;
    void* owner = nullptr; // what the entry point keeps of the part, if anything

    char* copies_of(unsigned thread) const { return copies + thread * bytes; }
};

struct Reductions {
    ReductionPart part;
    Reductions* next; // the next part of the same group, or of the enclosing groups
};

// Returns zeroed memory for the copies of `threads` threads, `bytes` bytes each. The entry point
// gives the memory back with free(). `align`: 0, or a power of two.
char* allocate_copies(std::size_t bytes, std::size_t align, unsigned threads);

// Registers a part with a group that has no tasks yet. The part follows the part `before` of the
// same group, or is the group's first part if `before` is null.
Reductions& register_part(team::Worker& worker, Taskgroup& group, const ReductionPart& part, Reductions* before);

// Gives back the records of a group that is over.
TEFF_COLD void forget_reductions(team::Worker& worker, Taskgroup& group);

// in_reduction: returns the calling thread's copy of the list item at `address`, which may be the
// address of the original or of any thread's copy.
struct ReductionCopy {
    void* copy;
    void* original;
    const ReductionPart* part;
};
ReductionCopy find_copy(team::Worker& worker, void* address);

// Task reductions on a work-sharing construct, as each member passes them, in the layout of its
// entry point.
struct WorksharingReductions {
    void* own = nullptr; // null: the construct has none
    // A function of the entry point. Called when the member enters the construct, before the first
    // member lets in the others. The function opens a taskgroup, and registers the parts there.
    // `first` is null for the first member; for the others it is the first member's `own`, whose
    // copies they share.
    void (*enter)(team::Worker& worker, void* own, void* first) = nullptr;
};

// Begins a taskgroup for `enter`. Returns the group, which is the calling member's current group
// from then on.
Taskgroup& begin_worksharing_group(team::Worker& worker);

} // namespace teff::task
