// SPDX-License-Identifier: Apache-2.0
//
// What a worker may do next, in the words of sched/choice.h: the row of its wait, what it sees, and
// whatever the choice then asks for on another context.
#pragma once

#include "sched/choice.h"
#include "sched/policy.h"
#include "task/constraint.h"
#include "team/contexts.h"

namespace teff::task {

enum class WaitKind : std::uint8_t {
    kInTask,         // for children, a taskgroup, dependences or an event
    kForLock,        // for a lock or the turn at an ordered region, where the thread need not wait itself
    kYields,         // taskyield
    kIsPreempted,    // preemption
    kOutsideOfTasks, // at a barrier, at a region's end, between regions; at the bottom of a stack
};

// The one place where a lock that is held, a tool that watches, a thread outside of regions and a
// barred context change what a wait may do.
TEFF_COLD sched::Row row_of(team::Worker& worker, WaitKind kind);

// Ready contexts, and the priorities.
TEFF_COLD void see(team::Worker& worker, sched::Seen& seen);

// Something that a worker can do on another context: go on in a ready one, or start a task on a
// fresh one. Whoever has one goes to it.
struct Other {
    team::Context* context = nullptr;
    Task* starts = nullptr;

    explicit operator bool() const { return context != nullptr; }
};

// What `act` (kResume, kStart, kStartHigher) is for; nothing, if there is none. For kStartHigher a
// task above the current one's priority. `kind`: of the wait.
TEFF_COLD Other find_other(team::Worker& worker, WaitKind kind, sched::Act act, sched::Look look);

// In an orphaned team nobody is left to notify the suspended ones: one of those.
Other find_unnotified(team::Worker& worker);

// The highest priority of a ready context, or sched::kNoLevel.
inline std::int32_t highest_ready(team::Worker& worker) {
    if (TEFF_LIKELY(!worker.member->ready.any())) return sched::kNoLevel;
    const team::Context* const first = worker.member->ready.first();
    return first != nullptr ? first->priority : sched::kNoLevel;
}

} // namespace teff::task
