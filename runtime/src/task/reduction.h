// SPDX-License-Identifier: Apache-2.0
//
// Task reductions: which private copies the threads have of which list items, so that a task of any
// thread finds its own.
//
// A construct with task reductions registers parts with a taskgroup: list items whose copies lie
// together, thread t's at `copies` + t * `bytes`. A door describes each part from its compiler's
// layout (abi/gomp_reduction.h), keeps items and copies until the group is over, and frees the
// copies. The group owns the records here.
//
// A search goes through the parts of the current taskgroup and of the enclosing ones, innermost
// first. It takes a few steps in each: an original is found by a hash of its address, a copy by its
// offset.
//
// The thread that registers writes; those that search come later: they run the group's tasks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "team/worker.h"

namespace teff::task {

struct ReductionItem {
    std::uintptr_t original; // its address
    std::uintptr_t offset;   // of its copy, among a thread's
    std::uintptr_t links;    // of the part's index: reduction.cpp
};

struct ReductionPart {
    ReductionItem* items; // in the order of their offsets
    std::size_t count;
    char* copies;
    std::size_t bytes; // of one thread's copies
    unsigned threads;

    char* copies_of(unsigned thread) const { return copies + thread * bytes; }
};

struct Reductions {
    ReductionPart part;
    Reductions* next; // of the same group, or of those around it
};

// Zeroed memory for the copies of so many threads; free() is for the door to call. `align`: 0, or a
// power of two.
char* allocate_copies(std::size_t bytes, std::size_t align, unsigned threads);

// Registers a part with a group that has no tasks yet: behind `before` of the same group, or, if
// that is null, as its first one.
Reductions& register_part(team::Worker& worker, Taskgroup& group, const ReductionPart& part, Reductions* before);

// Gives back the records of a group that is over.
TEFF_COLD void forget_reductions(team::Worker& worker, Taskgroup& group);

// in_reduction: the calling thread's copy of the list item at `address`, which may be the
// original's or any copy's.
struct ReductionCopy {
    void* copy;
    void* original;
};
ReductionCopy find_copy(team::Worker& worker, void* address);

// Task reductions on a work-sharing construct, as each member brings them in its door's layout.
struct WorksharingReductions {
    void* own = nullptr; // null: there are none
    // The door's, called as the member enters, before the first one lets the others in: opens a
    // taskgroup and registers there. The first member gets null for `first`; the others what it
    // brought, whose copies they share.
    void (*enter)(team::Worker& worker, void* own, void* first) = nullptr;
};

// For `enter`: the group, which is the calling member's current one from then on.
Taskgroup& begin_worksharing_group(team::Worker& worker);

} // namespace teff::task
