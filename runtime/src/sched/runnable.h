// SPDX-License-Identifier: Apache-2.0
// What the scheduler knows of a task: enough to queue it, and nothing of what it does.
#pragma once

#include <cstdint>
#include <utility>

namespace teff::sched {

// The NUMA node of a task's data: 1 + its index in mem::near_nodes.
using Home = std::uint8_t;
inline constexpr Home kNoHome = 0; // not known, or any will do

struct Runnable {
    Runnable* next = nullptr; // link in a SharedQueue, under its lock
    // 0 .. max-task-priority-var. Below 0 on its way to a queue: a task without a priority that has
    // a home. So the default's short paths, which look for a priority, look for a home, too.
    std::int32_t priority = 0;
};

constexpr Home home_on(unsigned node) { return static_cast<Home>(node + 1); }

constexpr std::int32_t way_home(Home home) { return -std::int32_t{home}; }

// The task is about to be queued, and counts as one without a priority from now on.
inline Home take_home_off(Runnable& item) {
    return item.priority < 0 ? static_cast<Home>(-std::exchange(item.priority, 0)) : kNoHome;
}

} // namespace teff::sched
