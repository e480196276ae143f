// SPDX-License-Identifier: Apache-2.0
// What the scheduler knows of a task: enough to queue it, and nothing of what it does.
#pragma once

#include <cstdint>

namespace teff::sched {

struct Runnable {
    Runnable* next = nullptr;  // link in a SharedQueue, under its lock
    std::int32_t priority = 0; // 0 .. max-task-priority-var
};

} // namespace teff::sched
