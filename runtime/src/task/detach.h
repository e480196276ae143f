// SPDX-License-Identifier: Apache-2.0
//
// Detachable tasks: a task with a detach clause is finished when its body has ended and its event
// is fulfilled, whichever comes last. detach_event.h has the protocol.
//
// The event is a record of its own, in a block that is never anything else: a handle that the
// program keeps for too long finds a record there, and its generation tells that it is stale. Owned
// by the task; given back by whoever finishes that.
//
// A task that is discarded, since its taskgroup or region was cancelled, is complete without its
// event. To fulfil that later does nothing.
//
// The creator of an undeferred detachable task waits for the event itself (await_event, run.h); the
// fulfiller only wakes it.
#pragma once

#include <cstdint>

#include "task/create.h"
#include "task/detach_event.h"

namespace teff::task {

struct Detachment {
    mem::FreeBlock link; // while it is free
    DetachEvent event;
    // Constant while the event is open. Atomic, since the holder of a stale handle reads them
    // before it knows.
    std::atomic<Task*> task;
    std::atomic<team::Team*> team;       // to notify when the event is fulfilled
    std::atomic<team::Context*> waiter;  // undeferred: its creator's; else null
    std::atomic<std::uint64_t> recorded; // the task's id, if its creator records; else 0
    std::atomic<bool> observed;          // a tool is notified
};
static_assert(sizeof(Detachment) <= mem::kBlockBytes[static_cast<unsigned>(mem::BlockSize::kDetachment)]);

// omp_event_handle_t, as GCC's code passes it around: the record's address and, in the bits that no
// address needs, the event's generation.
enum class EventHandle : std::uintptr_t {};

// An event for a task that is to be created: the program may keep its handle from now on, and use
// it once the task exists.
Detachment& reserve_event(team::Worker& worker);
EventHandle handle_of(const Detachment& reserved);
// The task exists, and nobody has begun it: what a construct's door leaves to create.h.
void open_event(team::Worker& worker, Detachment& reserved, Task& task);
// No task is created, as the construct is cancelled: the handle is stale.
void retire_event(team::Worker& worker, Detachment& reserved);

// omp_fulfill_event, from any thread of the process, also one that is in no team.
void fulfill_event(EventHandle handle);

} // namespace teff::task
