// SPDX-License-Identifier: Apache-2.0
// The taskloop construct: creates the tasks of a split loop (taskloop.h), inside a taskgroup of its own unless nogroup.
#pragma once

#include "task/create.h"
#include "task/taskloop.h"

namespace teff::task {

template <class Number> // long or unsigned long long
struct Taskloop {
    TaskConstruct task; // its arguments begin with the first and the end iteration value, as GCC lays them out
    Number start, end, step;
    bool up;            // unsigned loops: counts up (their step is a modular number)
    unsigned long size; // grainsize or num_tasks; 0: not given
    bool by_grainsize, strict;
    bool own_group;  // no nogroup clause
    bool reductions; // the group has reductions, whose blocks' address stands third in the arguments
};

void run_taskloop(team::Worker& worker, const Taskloop<long>& loop);
void run_taskloop(team::Worker& worker, const Taskloop<unsigned long long>& loop);

} // namespace teff::task
