// SPDX-License-Identifier: Apache-2.0
//
// The taskloop construct (OpenMP 5.2, section 12.6): splits a loop's iterations over tasks, and
// creates those, inside a taskgroup of its own unless nogroup. taskloop_split.h says how many
// tasks, and how many iterations each gets.
#pragma once

#include <cstdint>

#include "task/create.h"
#include "task/taskloop_split.h"

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

// The parts of a loop, one for each task, to be gone through in their order.
struct TaskloopParts {
    TaskloopSplit split;
    std::uint64_t start, step, count;                    // as Taskloop's
    void (*place)(void* args, const TaskloopPart& part); // as Taskloop's

    // Of no iterations, where the part `number` begins.
    TaskloopPart before(std::uint64_t number) const {
        const std::uint64_t first = split.first_of(number);
        return {.first_iteration = first,
                .iterations = 0,
                .all = count,
                .first = 0,
                .end = start + first * step,
                .place = place};
    }
    // `part` becomes the part `number`, which comes after it.
    void advance(TaskloopPart& part, std::uint64_t number) const {
        part.first_iteration += part.iterations;
        part.iterations = split.size_of(number);
        part.first = part.end;
        part.end += part.iterations * step;
    }
};

// False: there is nothing to do, and there was no group.
bool run_taskloop(team::Worker& worker, const Taskloop& loop);

} // namespace teff::task
