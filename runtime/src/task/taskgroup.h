// SPDX-License-Identifier: Apache-2.0
//
// Taskgroup: the tasks created inside a taskgroup region, their descendants included.
//
// Made by taskgroup_begin and given back by taskgroup_end, both in the task that met the construct,
// whose context is the home; a block like a task's. A task counts in its innermost group only: that
// of a nested group ends before the outer one can. `live` may be touched by any worker as
// SplitCount says; the rest is constant but for `cancelled` (any) and `reductions` (home).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/call_site.h"
#include "sync/split_count.h"
#include "team/worker.h"

namespace teff::task {

struct Reductions;

struct Taskgroup {
    Taskgroup* outer;            // the enclosing group, or null
    team::Context* home;         // where the task runs that waits at its end
    Reductions* reductions;      // the first of those registered (reduction.h), or null
    bool for_worksharing;        // made by a work-sharing construct with task reductions: cancel looks through it
    std::atomic<bool> cancelled; // cancel taskgroup
    sync::SplitCount live;

    void begin_task(team::Worker& worker) {
        if (home == worker.context) live.begin_home();
        else live.begin_away();
    }
};

// `site` as everywhere: of the construct's call.
void taskgroup_begin(team::Worker& worker, base::CallSite site);
void taskgroup_end(team::Worker& worker, base::CallSite site);

// Makes a group without entering it, and gives one back. For the reductions of a parallel
// construct, which all its implicit tasks share.
Taskgroup* make_taskgroup(team::Worker& worker, Taskgroup* outer);
void give_back_taskgroup(team::Worker& worker, Taskgroup* group);

} // namespace teff::task
