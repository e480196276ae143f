// SPDX-License-Identifier: Apache-2.0
//
// Descent: whether one task descends from another, by its chain of parents.
//
// The chain of a task that has not ended is always complete: a task that ends before its children
// keeps its block until the blocks of all its children have been given back (Task::kept). When such
// a task ends, its own link skips those of its ancestors that have ended as well: nobody waits in
// them any more. Without that, a chain of tasks each of which creates the next one and ends would
// keep all their blocks.
//
// A thief asks about a task that may be taken, finished and recycled meanwhile. Every link is a
// (task, id) pair, and ids are never used twice. A link counts only if the task still has the id
// after we have read the next link from it ([peek-1]). "Id X has ancestor id Y" never becomes
// untrue, so a chain of valid links is proof, provided that the candidate itself was still queued;
// the taker's compare-exchange shows that. For a candidate that is not queued any more, any answer
// will do.
//
// [descent-1] While a link changes, its id is kNoId. Until the link is complete, the thread that
//             changes it keeps its claim on both tasks, so the id can be read from the task itself.
//             A task that no longer has the id was skipped: then we begin again. Each link changes
//             once.
#pragma once

#include "task/task.h"

namespace teff::task {

inline constexpr std::uint64_t kNoId = 0;

// The task, which is ending, descends from `ancestor`; who lies between them has ended.
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
        below = depth; // so the walk ends
        at = link.up;
        at_id = link.up_id;
    }
}

} // namespace detail

inline bool descends(const Task& candidate, const Task& ancestor) {
    constexpr int kTries = 16; // more than links change while we look; of a task that has gone none succeeds
    const std::uint64_t id = candidate.id;
    for (int i = 0; i < kTries && candidate.id == id; ++i) {
        const detail::Descends found = detail::look_up(candidate, id, ancestor);
        if (TEFF_LIKELY(found != detail::Descends::kChanged)) return found == detail::Descends::kYes;
    }
    return false;
}

} // namespace teff::task
