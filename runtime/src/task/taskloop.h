// SPDX-License-Identifier: Apache-2.0
//
// The taskloop construct (OpenMP 5.2, section 12.6): splits a loop's iterations over tasks, and
// creates those, inside a taskgroup of its own unless nogroup.
//
// The split is a pure value (TaskloopSplit), the same for long and unsigned long long loops: how
// many tasks, and how many iterations each gets. The first tasks get one iteration more than the
// last ones, or, with strict grainsize, the last one gets what is left.
#pragma once

#include <cstdint>

#include "task/create.h"

namespace teff::task {

struct TaskloopSplit {
    std::uint64_t tasks = 0;
    std::uint64_t larger_tasks = 0; // the first so many get `larger_size` iterations, the others `smaller_size`
    std::uint64_t larger_size = 0;
    std::uint64_t smaller_size = 0;

    std::uint64_t size_of(std::uint64_t task) const { return task < larger_tasks ? larger_size : smaller_size; }
};

// grainsize(n): each task gets at least n and less than 2n iterations, if there are so many;
// strict: exactly n, but for the last.
TaskloopSplit split_by_grainsize(std::uint64_t iterations, std::uint64_t grainsize, bool strict);
// num_tasks(n): n tasks, or one for each iteration if there are fewer.
TaskloopSplit split_by_tasks(std::uint64_t iterations, std::uint64_t tasks);

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
