// SPDX-License-Identifier: Apache-2.0
//
// Kernel timers that send our signal to one thread: the retry timer, once, and the tick, again and
// again.
//
// Each belongs to one thread; all functions are for that thread, arm and disarm also in its
// handlers. They call the kernel directly, and leave errno alone.
#pragma once

#include <cstdint>

#include "preempt/handler.h"
#include "preempt/preempt.h"

namespace teff::preempt {

// False: the system gives the process no more timers.
[[nodiscard]] bool make(ThreadTimer& timer, Mark mark);
void destroy(ThreadTimer& timer);

void arm_once(ThreadTimer& timer, std::uint32_t us);
void arm_each(ThreadTimer& timer, std::uint32_t first_us, std::uint32_t period_us);
// No system call if it is not armed.
void disarm(ThreadTimer& timer);

} // namespace teff::preempt
