// SPDX-License-Identifier: Apache-2.0
//
// Descent: whether one task descends from another, by its chain of parents.
//
// The chain of a task that has not ended is whole: a task that has ended while children of its own
// had not keeps its block until the blocks of all its children have been given back (Task::kept).
// When such a task ends, its own link skips those of its ancestors that have ended themselves: they
// wait for nothing any more, and would else stay as long as a chain of tasks goes on each of which
// creates the next one and ends.
//
// A thief asks about a task that may be taken, finished and recycled meanwhile. Every link is a
// (task, id) pair, and ids are never used twice; a link counts only if the task still bears the id
// after we read what follows from it ([peek-1]). "Id X has ancestor id Y" never becomes untrue, so
// a chain of valid links is proof, provided that the candidate itself was still queued: that the
// taker's compare-exchange tells. Of one that is not queued any more, "no" is as good as anything.
//
// [descent-1] A link that changes has the id kNoId meanwhile. Until it is whole, who changes it has
//             not given up its claim on either task, so the id can be read from the task itself. A
//             task that no longer bears the id has been skipped: then we begin again. Each link
//             changes once.
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
