// SPDX-License-Identifier: Apache-2.0
//
// Taskgroup: the tasks created inside a taskgroup region, including their descendants.
//
// taskgroup_begin makes a taskgroup and taskgroup_end gives it back. Both are called in the
// encountering task. The context of that task is the group's home. A taskgroup is a block of the
// BlockCache, like a task. A task counts in its innermost group only, because a nested group ends
// before the outer group can end. Any worker may access `live` as SplitCount describes. The other
// fields are constant, except `cancelled` (set by any worker) and `reductions` (set on the home
// context).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/call_site.h"
#include "sync/split_count.h"
#include "team/worker.h"

namespace teff::task {

struct Reductions;

struct Taskgroup {
    Taskgroup* outer;       // the enclosing group, or null
    team::Context* home;    // the context of the task that waits at the group's end
    Reductions* reductions; // the first registered part (reduction.h), or null
    // Made by a work-sharing construct with task reductions: cancelling `outer` also cancels this
    // group.
    bool for_worksharing;
    std::atomic<bool> cancelled; // set by cancel taskgroup
    sync::SplitCount live;

    void begin_task(team::Worker& worker) {
        if (home == worker.context) live.begin_home();
        else live.begin_away();
    }
};

// Returns true if a task of this group (null: of none) may take part in a task reduction. In this
// case it may be updating its thread's copy for the group, so it gives way only at its task
// scheduling points.
inline bool may_reduce(const Taskgroup* group) {
    while (group != nullptr && group->reductions == nullptr)
        group = group->outer;
    return group != nullptr;
}

// Begin and end a taskgroup in the current task. `site`: the site of the construct's call.
void taskgroup_begin(team::Worker& worker, base::CallSite site);
void taskgroup_end(team::Worker& worker, base::CallSite site);

// Make a group without entering it, and give a group back. Used for the reductions of a parallel
// construct, whose group all its implicit tasks share.
Taskgroup* make_taskgroup(team::Worker& worker, Taskgroup* outer);
void give_back_taskgroup(team::Worker& worker, Taskgroup* group);

} // namespace teff::task
