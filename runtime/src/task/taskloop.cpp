// SPDX-License-Identifier: Apache-2.0
#include "task/taskloop.h"

#include <algorithm>

namespace teff::task {

TaskloopSplit split_by_tasks(std::uint64_t iterations, std::uint64_t tasks) {
    tasks = std::clamp<std::uint64_t>(tasks, 1, std::max<std::uint64_t>(iterations, 1));
    const std::uint64_t size = iterations / tasks;
    const std::uint64_t rest = iterations % tasks;
    return {.tasks = tasks, .larger_tasks = rest, .larger_size = size + 1, .smaller_size = size};
}

TaskloopSplit split_by_grainsize(std::uint64_t iterations, std::uint64_t grainsize, bool strict) {
    grainsize = std::max<std::uint64_t>(grainsize, 1);
    if (!strict) return split_by_tasks(iterations, iterations / grainsize);
    const std::uint64_t full = iterations / grainsize;
    const std::uint64_t rest = iterations % grainsize;
    return {.tasks = full + (rest != 0), .larger_tasks = full, .larger_size = grainsize, .smaller_size = rest};
}

} // namespace teff::task
