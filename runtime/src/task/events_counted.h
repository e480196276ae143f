// SPDX-License-Identifier: Apache-2.0
//
// What is counted of a deferred task, in line: for the paths on which counters are the only sink
// (team::only_counted), and where they must cost as little as they can. By the worker's own thread.
// All else that is counted, and these for the paths of several sinks: events_stat.cpp.
#pragma once

#include "base/clock.h"
#include "probe/stat/counters.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::task::counting {

using probe::stat::count;
using probe::stat::Counters;
using probe::stat::enter;

// A task is about to come about, and is deferred.
inline void defers(Counters& counters, bool dependent) {
    count(counters, TEFF_STAT_CREATED);
    count(counters, TEFF_STAT_DEPENDENT, dependent ? 1 : 0);
    enter(counters, dependent ? TEFF_STAT_DEPENDENCES : TEFF_STAT_QUEUES);
}

inline void creation_ends(Counters& counters) { enter(counters, TEFF_STAT_USER); }

// A task that is about to come about depends on so many others, of which some have not ended.
inline void depends_on(Counters& counters, std::uint32_t tasks, std::uint32_t unfulfilled) {
    count(counters, TEFF_STAT_DEPENDENCES_FOUND, tasks);
    count(counters, TEFF_STAT_DEPENDENCES_OPEN, unfulfilled);
}

// A deferred task comes from a queue, unless its creator runs it at once.
inline void body_begins(Counters& counters, const Task& task, base::Ticks now) {
    const bool queued = (task.flags & kUndeferred) == 0 && counters.runs_at_once == 0;
    counters.runs_at_once = 0;
    if (queued) count(counters, task.priority > 0 ? TEFF_STAT_TAKEN_PRIORITY : TEFF_STAT_TAKEN);
    enter(counters, TEFF_STAT_USER, now);
}

// Does it tell its successors apart from its end, so that the time it takes is known?
inline bool releases(const Task& task) { return task.has_dependences() && (task.flags & kDetachable) == 0; }

// After an undeferred task its creator goes on.
inline void body_ends(const team::Worker& worker, const Task& task, bool skipped, base::Ticks now) {
    Counters& counters = *worker.stat;
    count(counters, skipped ? TEFF_STAT_CANCELLED : TEFF_STAT_RUN);
    count(counters, TEFF_STAT_STOLEN, !skipped && task.id.get() >> 48 != worker.number ? 1 : 0);
    const bool undeferred = (task.flags & kUndeferred) != 0;
    enter(counters, releases(task) ? TEFF_STAT_DEPENDENCES : undeferred ? TEFF_STAT_USER : TEFF_STAT_QUEUES, now);
}

inline void dependences_released(Counters& counters) { enter(counters, TEFF_STAT_QUEUES); }

} // namespace teff::task::counting
