// SPDX-License-Identifier: Apache-2.0
//
// Lane: one member's place in the scheduler of its team.
//
// It holds the queues of the default policy (work_stealing.h); another policy keeps its own queues
// elsewhere and leaves these empty. It belongs to the Member that it is part of, and lives as long.
// The fields say who may touch them.
#pragma once

#include <cstdint>

#include "sched/deque.h"
#include "sched/priority_queue.h"
#include "sched/runnable.h"
#include "sync/parker.h"

namespace teff::sched {

// What had been put into a lane at some moment.
struct Mark {
    static constexpr std::uint64_t kDoubt = std::uint64_t{1} << 40;

    std::int64_t deque = 0;
    std::uint64_t raised = 0; // tasks with a priority, and kDoubt times how often the lane was doubted
};

template <class Atomics> struct LaneOver {
    template <class T> using atomic = typename Atomics::template atomic<T>;

    DequeOver<Atomics, Runnable> deque; // see there
    Mark since;                         // owner: as it was when the member's current task started
    atomic<PriorityQueueOver<Atomics>*> raised{
        nullptr};                    // its tasks with a priority; the owner makes it with the first one [raised-1]
    std::uint64_t raised_so_far = 0; // owner: as in Mark; with each doubt, the marks before it prove nothing
    bool in_doubt = false;           // owner: since the region began, contexts have taken turns
    atomic<sync::ParkerOver<Atomics>*> parker{nullptr}; // of the worker that is this member now [lane-1]
    unsigned number = 0;                                // of the member in its team
    std::uint32_t victim_seed = 1;                      // owner: decides where the next search for a victim starts
    unsigned futile_looks = 0;   // owner: looks that left tasks of other nodes to their members (locality.h)
    bool has_left_tasks = false; // owner: so has a thorough look, and it has found nothing since (locality.h)
};

using Lane = LaneOver<base::RealAtomics>;

} // namespace teff::sched
