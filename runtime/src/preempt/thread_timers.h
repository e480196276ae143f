// SPDX-License-Identifier: Apache-2.0
//
// Kernel timers that send Teff's signal to one thread: the retry timer fires once, the tick fires
// periodically.
//
// Each timer belongs to one thread, and only that thread calls the functions; it may call the arm
// functions and disarm in its signal handlers too. The functions call the kernel directly and do
// not change errno.
#pragma once

#include <cstdint>

#include "preempt/handler.h"
#include "preempt/preempt.h"

namespace teff::preempt {

// Returns false if the system gives the process no more timers.
[[nodiscard]] bool make(ThreadTimer& timer, Mark mark);
void destroy(ThreadTimer& timer);

void arm_once(ThreadTimer& timer, std::uint32_t us);
void arm_each(ThreadTimer& timer, std::uint32_t first_us, std::uint32_t period_us);
// Makes no system call if the timer is not armed.
void disarm(ThreadTimer& timer);

} // namespace teff::preempt
