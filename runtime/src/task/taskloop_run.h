// SPDX-License-Identifier: Apache-2.0
// The taskloop construct: creates the tasks of a split loop (taskloop.h), inside a taskgroup of its
// own unless nogroup.
#pragma once

#include "task/create.h"
#include "task/taskloop.h"

namespace teff::task {

struct Taskloop {
    TaskConstruct task; // of every task, but for its part
    void (*place)(void* args, const TaskloopPart& part);
    std::uint64_t start, step; // of the loop variable, modulo 2^64
    std::uint64_t count;       // of its iterations
    std::uint64_t size;        // grainsize or num_tasks; 0: not given
    bool by_grainsize, strict;
    bool own_group; // no nogroup clause
    // The door's, with own_group: called inside the group, before the tasks are created. Null:
    // nothing to do.
    void (*enter_group)(team::Worker& worker, void* data) = nullptr;
};

// False: there is nothing to do, and there was no group.
bool run_taskloop(team::Worker& worker, const Taskloop& loop);

} // namespace teff::task
