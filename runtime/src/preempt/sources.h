// SPDX-License-Identifier: Apache-2.0
//
// What else than a request makes a thread look for higher work: nothing (`on`, `kernel`), a timer
// of its own, or a performance event that counts its time on a processor (`perf`), which does not
// tick while the thread sleeps. Only the thread itself calls these functions.
#pragma once

#include "icv/icv.h"
#include "preempt/preempt.h"

namespace teff::preempt {

// The source that this process has: the one asked for or, if the system does not have it, signals
// on demand. Decided at the first registration; says why, once.
icv::Preemption source();

// Whether requests are signalled, to threads without a slot of the kernel module; if not, the ticks
// find them.
bool signals_requests();

void start_ticks(Target& self);
void stop_ticks(Target& self);

} // namespace teff::preempt
