// SPDX-License-Identifier: Apache-2.0
//
// The inputs of sched/choice.h in the runtime: the row of the worker's wait, what the worker sees,
// and the work on another context that the choice selects.
#pragma once

#include "sched/choice.h"
#include "sched/policy.h"
#include "task/constraint.h"
#include "task/moving.h"
#include "team/contexts.h"

namespace teff::task {

enum class WaitKind : std::uint8_t {
    kInTask,         // for children, a taskgroup, dependences or an event
    kForLock,        // for a lock or an ordered region's turn, unless it waits in place
    kYields,         // taskyield
    kIsPreempted,    // preemption
    kOutsideOfTasks, // at a barrier, at a region's end, between regions; at the bottom of a stack
};

// Returns true if a wait for a lock or for an ordered region's turn blocks the thread; otherwise it
// is a wait of the kind kForLock. Such a wait is not a task scheduling point: the task may rely on
// the state of its thread. But where preemption relaxes the constraints, a thread does not wait
// above suspended tasks (decision 0035), because the holder of the lock may wait for one of them.
bool waits_in_place(const team::Worker& worker);

// Returns the row of a wait. Only this function considers a held lock, a tool that observes, a
// thread outside of regions and a barred context, all of which change what a wait may do.
TEFF_COLD sched::Row row_of(team::Worker& worker, WaitKind kind);

// Called before a wait sleeps, while preemption is on. A task that takes part in a reduction starts
// no tasks beside its wait (row_of), but others do. So tasks that it waits for may be queued among
// tasks that it may not run, on several threads, where only the ends of queues are looked at. The
// worker moves its tasks to where each is found.
TEFF_COLD void before_sleep(team::Worker& worker, WaitKind kind);

// Fills in the ready contexts that the worker sees, and the priorities.
TEFF_COLD void see(team::Worker& worker, sched::Seen& seen);

// Work for a worker on another context: either to continue in a ready context, or to start a task
// on a fresh context. A caller that gets a non-empty Other must go to it.
struct Other {
    team::Context* context = nullptr;
    Task* starts = nullptr;

    explicit operator bool() const { return context != nullptr; }
};

// Finds the work for `act` (kResume, kStart, kStartHigher); returns an empty Other if there is
// none. For kStartHigher the task has a higher priority than the current task. `kind`: the kind of
// the wait. A task that starts has a priority above `above`, unless that is kNoLevel.
TEFF_COLD Other find_other(team::Worker& worker, WaitKind kind, sched::Act act, sched::Look look,
                           std::int32_t above = sched::kNoLevel);

// Returns a suspended context, or an empty Other. Called in an orphaned team, where no thread is
// left to notify the suspended contexts.
Other find_unnotified(team::Worker& worker);

// Returns a ready context of the highest priority, which is no longer ready, or null.
team::Context* take_any_ready(team::Worker& worker);

TEFF_COLD std::int32_t highest_ready_or_moving(team::Worker& worker);

// Returns the highest priority of a ready context, or sched::kNoLevel.
inline std::int32_t highest_ready(team::Worker& worker) {
    if (TEFF_LIKELY(!worker.member->ready.any())) return sched::kNoLevel;
    if (TEFF_UNLIKELY(contexts_move())) return highest_ready_or_moving(worker);
    const team::Context* const first = worker.member->ready.first();
    return first != nullptr ? first->priority : sched::kNoLevel;
}

} // namespace teff::task
