// SPDX-License-Identifier: Apache-2.0
//
// What a scheduling policy is. A policy keeps the ready tasks of one team and decides who runs which. It knows Runnable and nothing
// else of a task. TEFF_SCHEDULE names the policy; a new one is a file beside work_stealing.h with these operations, one line in
// the knob's list of values, and a test with fake runnables:
//
//     bool make_ready(Lane&, Runnable*)         queue it; false: the caller runs it at once (the queue is full)
//     void make_ready_anywhere(Runnable*)       queue it from a thread that has no lane, or past a full one
//     Runnable* take(Lane&, Position floor)     the caller's own next task, none older than `floor`
//     Runnable* steal(Lane&, Allow allow)       someone else's task that `allow` admits
//     bool looks_drained()                      is nothing queued, as far as one look tells?
//     Sleepers& sleepers()                      who sleeps for want of work
//
// A Lane is one member's place in the policy: its queue and how to wake it.
#pragma once

#include "sched/deque.h"
#include "sched/runnable.h"
#include "sched/sleepers.h"
#include "sync/parker.h"

namespace teff::sched {

using Deque = DequeOver<base::RealAtomics, Runnable>;

struct Lane {
    Deque deque;
    std::atomic<sync::Parker*> parker{nullptr}; // of the worker that is this member now
    unsigned number = 0;                        // of the member in its team
    std::uint32_t victim_seed = 1;              // owner: where the next search for a victim starts
};

} // namespace teff::sched
