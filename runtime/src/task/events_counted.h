// SPDX-License-Identifier: Apache-2.0
//
// Inline counting of tasks, for the paths on which the counters are the only sink and have to cost
// as little as possible. The functions for deferred tasks read no clock
// (team::only_counted_untimed). Called by the worker's own thread only. All other counting, and all
// timing, is in events_stat.cpp.
#pragma once

#include "probe/stat/counters.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::task::counting {

using probe::stat::count;
using probe::stat::Counters;

// Enters a state, on a path where no times are taken.
inline void enter(Counters& counters, teff_stat_state state) { counters.state = state; }

// A task is about to be created, and is deferred.
inline void defers(Counters& counters, bool dependent) {
    count(counters, TEFF_STAT_CREATED);
    count(counters, TEFF_STAT_DEPENDENT, dependent ? 1 : 0);
    enter(counters, dependent ? TEFF_STAT_DEPENDENCES : TEFF_STAT_QUEUES);
}

// A task that is about to be created depends on `tasks` others, of which `unfulfilled` have not
// ended.
inline void depends_on(Counters& counters, std::uint32_t tasks, std::uint32_t unfulfilled) {
    count(counters, TEFF_STAT_DEPENDENCES_FOUND, tasks);
    count(counters, TEFF_STAT_DEPENDENCES_OPEN, unfulfilled);
}

inline void waits(Counters& counters) {
    count(counters, TEFF_STAT_WAITS);
    enter(counters, TEFF_STAT_WAITING);
}

// The body of a task begins. A deferred task has been taken from a queue, unless its creator runs
// it at once.
inline void body_begins(Counters& counters, const Task& task) {
    if (TEFF_UNLIKELY(counters.runs_at_once != 0)) counters.runs_at_once = 0;
    else if (TEFF_LIKELY((task.flags & kUndeferred) == 0))
        count(counters, task.priority > 0 ? TEFF_STAT_TAKEN_PRIORITY : TEFF_STAT_TAKEN);
}

// Returns true if the task releases its successors in a step separate from its end, so that the
// time of this step is known.
inline bool releases(const Task& task) { return (task.flags & (kDependent | kUndeferred | kDetachable)) == kDependent; }

// The body of a task has ended. Returns the worker's next state. After an undeferred task, the
// creator continues.
inline teff_stat_state body_ends(const team::Worker& worker, const Task& task, bool skipped) {
    Counters& counters = *worker.stat;
    const bool stolen = !skipped && task.id.get() >> 48 != worker.number;
    count(counters, skipped ? TEFF_STAT_CANCELLED : TEFF_STAT_RUN);
    count(counters, TEFF_STAT_STOLEN, stolen ? 1 : 0);
    if (releases(task)) return TEFF_STAT_DEPENDENCES;
    return (task.flags & kUndeferred) != 0 ? TEFF_STAT_USER : TEFF_STAT_QUEUES;
}

// takes_call: the creator calls the new task in place (full_queue.h). is_called: returns true once
// after takes_call.
inline void takes_call(Counters& counters) { counters.is_called = 1; }
inline bool is_called(Counters& counters) {
    const bool is = counters.is_called != 0;
    if (TEFF_UNLIKELY(is)) counters.is_called = 0;
    return is;
}

// The steps of a simple task that its creator calls because the task is undeferred or because the
// queue is full, with or without times. includes: the construct is met. included_begins and
// included_ends: the body begins, and has ended. goes_on: the creator continues.
inline void includes(Counters& counters, bool undeferred) {
    count(counters, TEFF_STAT_CREATED);
    count(counters, undeferred ? TEFF_STAT_UNDEFERRED : TEFF_STAT_RUN_AT_ONCE);
    probe::stat::enter(counters, TEFF_STAT_QUEUES);
}

inline void included_begins(Counters& counters) { probe::stat::enter(counters, TEFF_STAT_USER); }

inline void included_ends(Counters& counters) {
    count(counters, TEFF_STAT_RUN);
    probe::stat::enter(counters, TEFF_STAT_QUEUES);
}

inline void goes_on(Counters& counters) { probe::stat::enter(counters, TEFF_STAT_USER); }

} // namespace teff::task::counting
