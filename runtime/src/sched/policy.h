// SPDX-License-Identifier: Apache-2.0
//
// What a scheduling policy is. A policy keeps the ready tasks of one team and decides who runs which. It knows Runnable and nothing
// else of a task. TEFF_SCHEDULE names the policy; a new one is a file beside work_stealing.h with these operations, one line in
// the knob's list of values, and a test with fake runnables:
//
//     bool make_ready(Lane&, Runnable*)         queue it; false: the caller runs it at once (the queue is full)
//     void make_ready_anywhere(Runnable*)       queue it from a thread that has no lane, or past a full one
//     Mark enter(Lane&)                         a task starts on the lane's member; returns what leave() is to be given
//     void leave(Lane&, Mark)                   ... and ends
//     Runnable* take(Lane&, Allow)              the member's own next task, or one that goes first. A constrained waiter gets none that lay
//                                               in the lane before its task started: what came later descends from it
//     Runnable* steal(Lane&, Allow, Look)       someone else's task that `allow` admits
//     bool looks_drained()                      is nothing queued, as far as one look tells?
//     Sleepers& sleepers()                      who sleeps for want of work
//
// `Allow` is what the waiter may run: `bool operator()(const Runnable*)`, and `bool constrained()`: descendants of one task alone.
//
// A Lane is one member's place in the policy: its queues and how to wake it.
#pragma once

#include "sched/deque.h"
#include "sched/runnable.h"
#include "sched/sleepers.h"
#include "sync/parker.h"

namespace teff::sched {

using Deque = DequeOver<base::RealAtomics, Runnable>;

class PriorityQueue;

// What has been put into a lane so far.
struct Mark {
    Deque::Position deque = 0;
    std::uint64_t raised = 0;
};

struct Lane {
    Deque deque;
    Mark since; // owner: as it was when the member's current task started
    std::atomic<PriorityQueue*> raised{
        nullptr};                    // its tasks with a priority; made by the owner with the first of them [raised-1]
    std::uint64_t raised_so_far = 0; // owner: how many of those have been put there
    std::atomic<sync::Parker*> parker{nullptr}; // of the worker that is this member now
    unsigned number = 0;                        // of the member in its team
    std::uint32_t victim_seed = 1;              // owner: where the next search for a victim starts
};

// How closely a waiter looks at tasks that belong to no lane: at the first few, or, for once before it sleeps, at all.
enum class Look : bool { kBrief, kThorough };

} // namespace teff::sched
