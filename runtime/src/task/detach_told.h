// SPDX-License-Identifier: Apache-2.0
// What detachable tasks tell a tool; detach_event.h has the protocol. Called only for tasks that have a record.
#pragma once

#include "task/task.h"
#include "team/worker.h"

namespace teff::task {

// The body is over on this worker, which has not told the event yet.
TEFF_COLD void tell_body_end(team::Worker& worker, Task& task);

// The event is about to be fulfilled by this worker. Returns the state that it was in; the next one to store is kFulfilled.
TEFF_COLD std::uint32_t tell_fulfilment(Task& task);

} // namespace teff::task
