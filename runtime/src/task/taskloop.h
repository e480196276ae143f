// SPDX-License-Identifier: Apache-2.0
//
// The taskloop construct (OpenMP 5.2, section 12.6): splits a loop's iterations into tasks and
// creates these tasks. Unless nogroup is given, the tasks are created inside a separate taskgroup.
// taskloop_split.h says how many tasks there are, and how many iterations each task gets.
#pragma once

#include <cstdint>

#include "task/create.h"
#include "task/taskloop_split.h"

namespace teff::task {

struct Taskloop {
    TaskConstruct task; // the description of every task, except for its part
    void (*place)(void* args, const TaskloopPart& part);
    std::uint64_t start, step; // of the loop variable, modulo 2^64
    std::uint64_t count;       // the number of iterations
    std::uint64_t size;        // the value of grainsize or num_tasks; 0: not given
    bool by_grainsize, strict;
    bool own_group; // true if the construct has no nogroup clause
    // A function of the entry point, or null; used only with own_group. Called inside the group,
    // before the tasks are created.
    void (*enter_group)(team::Worker& worker, void* data) = nullptr;
};

// The parts of a loop, one for each task, to be visited in order.
struct TaskloopParts {
    TaskloopSplit split;
    std::uint64_t start, step, count;                    // as Taskloop's
    void (*place)(void* args, const TaskloopPart& part); // as Taskloop's

    // Returns an empty part that lies where the part `number` begins.
    TaskloopPart before(std::uint64_t number) const {
        const std::uint64_t first = split.first_of(number);
        return {.first_iteration = first,
                .iterations = 0,
                .all = count,
                .first = 0,
                .end = start + first * step,
                .place = place};
    }
    // Changes `part` into the part `number`. Requires that the part `number` follows `part`.
    void advance(TaskloopPart& part, std::uint64_t number) const {
        part.first_iteration += part.iterations;
        part.iterations = split.size_of(number);
        part.first = part.end;
        part.end += part.iterations * step;
    }
};

// Runs a taskloop construct. Returns false if there is nothing to do; then no group was made.
bool run_taskloop(team::Worker& worker, const Taskloop& loop);

} // namespace teff::task
