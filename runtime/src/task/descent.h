// SPDX-License-Identifier: Apache-2.0
//
// Descent: decides whether one task descends from another, by following the chain of parents.
//
// The chain of an unfinished task is always complete: a task that ends before its children keeps
// its block until the blocks of all its children have been given back (Task::kept). When such a
// task ends, it changes its own link to skip all ancestors that have also ended, because no task
// waits in these ancestors any more. Otherwise a long chain, in which each task creates the next
// task and ends, would keep the blocks of all its tasks.
//
// While a thief asks about a task, another thread may take, finish and recycle the task. Therefore
// every link is a pair (task, id), and ids are never reused. A link is valid only if the linked
// task still has this id after the thief has read the next link from it ([peek-1]). "The task with
// id X has an ancestor with id Y" remains true for ever once it is true. So a chain of valid links
// is a proof of descent, provided that the candidate itself is still queued. The compare-exchange
// by which a thread takes the candidate shows whether it is still queued. For a candidate that is
// no longer queued, the answer does not matter.
//
// [descent-1] While a link is being changed, its id is kNoId, and a reader takes the id from the
//             linked task instead. This works because the thread that changes the link keeps its
//             claim on the old and the new linked task until the change is complete. If the linked
//             task's own id is no longer valid, the change of the link has skipped this task
//             meanwhile, and the search begins again. Each link changes once.
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
    // More tries than links can change during a search. If the candidate is gone, no try succeeds.
    constexpr int kTries = 16;
    const std::uint64_t id = candidate.id;
    for (int i = 0; i < kTries && candidate.id == id; ++i) {
        const detail::Descends found = detail::look_up(candidate, id, ancestor);
        if (TEFF_LIKELY(found != detail::Descends::kChanged)) return found == detail::Descends::kYes;
    }
    return false;
}

} // namespace teff::task
