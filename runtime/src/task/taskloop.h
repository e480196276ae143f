// SPDX-License-Identifier: Apache-2.0
//
// taskloop: splitting a loop's iterations over tasks (OpenMP 5.2, section 12.6).
//
// The split is a pure value (TaskloopSplit), the same for long and unsigned long long loops: how
// many tasks, and how many iterations each gets. The first tasks get one iteration more than the
// last ones, or, with strict grainsize, the last one gets what is left.
#pragma once

#include <cstdint>

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

} // namespace teff::task
