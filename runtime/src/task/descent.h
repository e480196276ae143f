// SPDX-License-Identifier: Apache-2.0
//
// Descent: whether one task descends from another, by its chain of parents.
//
// The chain of a task that has not ended is whole: a task that has ended while children of its own
// had not keeps its block until the blocks of all its children have been given back (Task::kept).
//
// A thief asks about a task that may be taken, finished and recycled meanwhile. Every link is a
// (task, id) pair, and ids are never used twice; a link counts only if the task still bears the id
// after we read what follows from it ([peek-1]). "Id X has ancestor id Y" never becomes untrue, so
// a chain of valid links is proof, provided that the candidate itself was still queued: that the
// taker's compare-exchange tells. Of one that is not queued any more, "no" is as good as anything.
#pragma once

#include "task/task.h"

namespace teff::task {

inline bool descends(const Task& candidate, const Task& ancestor) {
    const Task* at = &candidate;
    std::uint64_t at_id = candidate.id;
    const std::uint64_t wanted_id = ancestor.id;
    const std::uint32_t wanted_depth = ancestor.depth;
    for (std::uint32_t below = UINT32_MAX;;) {
        const Task* up = at->parent;
        const std::uint64_t up_id = at->parent_id;
        const std::uint32_t depth = at->depth;
        if (at->id != at_id || depth >= below) return false; // [peek-1]
        if (up == nullptr || depth <= wanted_depth) return false;
        if (up_id == wanted_id) return true;
        below = depth; // so the walk ends
        at = up;
        at_id = up_id;
    }
}

} // namespace teff::task
