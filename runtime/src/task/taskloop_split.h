// SPDX-License-Identifier: Apache-2.0
//
// The split of a taskloop's iterations into tasks: a pure value, the same for long and unsigned
// long long loops. The first tasks get one iteration more than the last tasks. With strict
// grainsize, all tasks except the last get the same number of iterations, and the last task gets
// the rest.
#pragma once

#include <algorithm>
#include <cstdint>

namespace teff::task {

struct TaskloopSplit {
    std::uint64_t tasks = 0;
    std::uint64_t larger_tasks = 0; // the first `larger_tasks` get `larger_size` iterations
    std::uint64_t larger_size = 0;
    std::uint64_t smaller_size = 0;

    std::uint64_t size_of(std::uint64_t task) const { return task < larger_tasks ? larger_size : smaller_size; }
    // Returns the number of the task's first iteration.
    std::uint64_t first_of(std::uint64_t task) const {
        const std::uint64_t larger = std::min(task, larger_tasks);
        return larger * larger_size + (task - larger) * smaller_size;
    }
};

// num_tasks(n): n tasks, or one task per iteration if there are fewer iterations than n.
inline TaskloopSplit split_by_tasks(std::uint64_t iterations, std::uint64_t tasks) {
    tasks = std::clamp<std::uint64_t>(tasks, 1, std::max<std::uint64_t>(iterations, 1));
    const std::uint64_t size = iterations / tasks;
    const std::uint64_t rest = iterations % tasks;
    return {.tasks = tasks, .larger_tasks = rest, .larger_size = size + 1, .smaller_size = size};
}

// grainsize(n): each task gets at least n and less than 2n iterations, if the loop has at least n.
// strict: each task gets exactly n iterations, except for the last task.
inline TaskloopSplit split_by_grainsize(std::uint64_t iterations, std::uint64_t grainsize, bool strict) {
    grainsize = std::max<std::uint64_t>(grainsize, 1);
    if (!strict) return split_by_tasks(iterations, iterations / grainsize);
    const std::uint64_t full = iterations / grainsize;
    const std::uint64_t rest = iterations % grainsize;
    return {.tasks = full + (rest != 0), .larger_tasks = full, .larger_size = grainsize, .smaller_size = rest};
}

} // namespace teff::task
