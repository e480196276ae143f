// SPDX-License-Identifier: Apache-2.0
//
// The sources of ticks, which make a thread look for work of higher priority, in addition to
// requests. With `on` and `kernel` there is no such source. With `timer` and `stress` the source is
// a timer of the thread. With `perf` the source is a performance event that counts the thread's
// time on a processor, and so does not tick while the thread sleeps. These functions are called
// only by the thread itself.
#pragma once

#include "icv/icv.h"
#include "preempt/preempt.h"

namespace teff::preempt {

// Returns the source that this process uses: the source that was asked for or, if the system does
// not have it, signals on demand. This is decided at the first registration; the reason is printed
// once.
icv::Preemption source();

// Returns true if requests to threads without a slot of the kernel module are sent as signals. If
// not, the ticks find the requests.
bool signals_requests();

void start_ticks(Target& self);
void stop_ticks(Target& self);

} // namespace teff::preempt
