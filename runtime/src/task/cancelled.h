// SPDX-License-Identifier: Apache-2.0
//
// Tests whether the region or the taskgroup of a task has been cancelled. The test is made only in
// processes that allow cancellation.
#pragma once

#include "icv/icv.h"
#include "task/task.h"
#include "task/taskgroup.h"
#include "team/team.h"

namespace teff::task {

inline bool group_cancelled(const Taskgroup* group) {
    if (group == nullptr) return false;
    if (group->cancelled.load(std::memory_order_relaxed))
        return true; // only a hint: tasks that have begun are not stopped anyway
    return group->for_worksharing && group->outer != nullptr && group->outer->cancelled.load(std::memory_order_relaxed);
}

// Returns true if a task of this team and group must not start any more.
inline bool cancelled(const team::Team& team, const Taskgroup* group) {
    if (TEFF_LIKELY(!icv::global().cancellation)) return false;
    return team.cancelled.load(std::memory_order_relaxed) || group_cancelled(group);
}

// Returns true if this task is to end without a call of its body, and then marks the task
// kDiscarded.
inline bool try_discard(const team::Team& team, Task& task) {
    if (TEFF_LIKELY(!cancelled(team, task.group)) || (task.flags & kConstructed) != 0) return false;
    task.flags |= kDiscarded;
    return true;
}

} // namespace teff::task
