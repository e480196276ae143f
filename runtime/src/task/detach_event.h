// SPDX-License-Identifier: Apache-2.0
//
// The states of a detachable task's event, Task::event; who takes which edge stands in detach.h.
//
// With a tool, the two sides also agree on what they tell it: the worker that the body has ended first (detach) or last (complete), the
// fulfiller that it came early or late. Each says first what it is about to tell; the other finds that and leaves the task alone meanwhile.
// The states of such tasks carry kTold, since the fulfiller may look at nothing else of the task.
//
//     open  --body ends: tells "detach"-->  body ending --> body over     (worker)
//     open, body ending, body over --fulfil--> fulfilling, tells "early" or "late" --> fulfilled
//     fulfilling --body ends: tells "complete"--> body over               (worker; the fulfiller finds it and finishes the task)
//     awaited --body ends: tells "detach"--> awaited, over                (worker; an undeferred task)
//     awaited, or awaited and over --fulfil--> fulfilling --> fulfilled
//
// As before, the task is finished by the worker if it finds the event fulfilled, else by the fulfiller that finds the body over.
#pragma once

#include <cstdint>

namespace teff::task {

enum Event : std::uint32_t {
    kOpen = 1,
    kBodyOver = 2,
    kFulfilled = 3,
    kAwaited = 4,
    kFulfilling = 5,
    kBodyEnding = 6,
    kAwaitedOver = 7,
    kTold = 16, // a flag
};

} // namespace teff::task
