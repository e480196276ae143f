// SPDX-License-Identifier: Apache-2.0
//
// Descent: whether one task descends from another, found by following the chain of parents.
//
// The chain of a task that has not ended is always complete: a task that ends before its children
// keeps its block until the blocks of all its children have been given back (Task::kept). When such
// a task ends, its own link skips those of its ancestors that have ended as well: no task waits in
// them any more. Otherwise a chain of tasks each of which creates the next task and ends would keep
// all their blocks.
//
// A thief asks about a task that may be taken, finished and recycled meanwhile. Every link is a
// (task, id) pair, and an id is never used twice. A link counts only if the task still has the id
// after the thief has read the next link from the task ([peek-1]). "Id X has ancestor id Y" never
// becomes untrue. So a chain of valid links is a proof, provided that the candidate itself was
// still queued, which the taker's compare-exchange shows. For a candidate that is no longer queued,
// any answer is correct.
//
// [descent-1] While a link changes, its id is kNoId. Until the link is complete, the thread that
//             changes the link keeps its claim on both tasks, so the id can be read from the linked
//             task itself. If that task no longer has the id, it was skipped: then the search
//             begins again. Each link changes once.
#pragma once

#include "task/task.h"

namespace teff::task {

inline constexpr std::uint64_t kNoId = 0;

// Makes `ancestor` the parent of `task`, which is ending. Requires that `task` descends from
// `ancestor`, and that all tasks between the two have ended.
inline void skip_to(Task& task, Task& ancestor) {
    task.parent_id = kNoId; // [descent-1]
    task.parent = &ancestor;
    task.parent_id = ancestor.id;
}

namespace detail {

struct Link {
    const Task* up;
    std::uint64_t up_id;
};

inline Link link_of(const Task& task) {
    for (;;) {
        const Task* const up = task.parent;
        const std::uint64_t up_id = task.parent_id;
        if (TEFF_LIKELY(up_id != kNoId) || up == nullptr) return {up, up_id};
        const std::uint64_t its_own = up->id; // [descent-1]
        if (task.parent_id == kNoId && task.parent == up) return {up, its_own};
    }
}

enum class Descends : std::uint8_t { kYes, kNo, kChanged };

inline Descends look_up(const Task& candidate, std::uint64_t candidate_id, const Task& ancestor) {
    const Task* at = &candidate;
    std::uint64_t at_id = candidate_id;
    const std::uint64_t wanted_id = ancestor.id;
    const std::uint32_t wanted_depth = ancestor.depth;
    for (std::uint32_t below = UINT32_MAX;;) {
        const Link link = link_of(*at);
        const std::uint32_t depth = at->depth;
        if (at->id != at_id) return Descends::kChanged; // [peek-1]
        if (depth >= below || link.up == nullptr || depth <= wanted_depth) return Descends::kNo;
        if (link.up_id == wanted_id) return Descends::kYes;
        below = depth; // depths decrease, so the walk ends
        at = link.up;
        at_id = link.up_id;
    }
}

} // namespace detail

inline bool descends(const Task& candidate, const Task& ancestor) {
    // More tries than links change during a search. If the candidate is gone, no try succeeds.
    constexpr int kTries = 16;
    const std::uint64_t id = candidate.id;
    for (int i = 0; i < kTries && candidate.id == id; ++i) {
        const detail::Descends found = detail::look_up(candidate, id, ancestor);
        if (TEFF_LIKELY(found != detail::Descends::kChanged)) return found == detail::Descends::kYes;
    }
    return false;
}

} // namespace teff::task
