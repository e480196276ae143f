// SPDX-License-Identifier: Apache-2.0
//
// Counters: the embedded monitor. If TEFF_STAT names a folder, it counts and times what each worker
// does (teff_stat.h describes the format).
//
// A worker's Counters lie on cache lines of their own, in a file that is mapped as shared memory:
// `teff stat` reads them there. Its thread alone writes them, by plain stores. They live as long as
// the process, so a thread that counts while the process exits writes into valid memory. A worker
// number that is used again goes on with its counters. A forked child gets a board of its own.
//
// Only two kinds of paths count: those that a probe switches on (Worker::probes), and those that a
// thread takes when it meets contention or wakes another one (base/contention.h).
//
// Hardware counters are events of Linux's perf_event, one file descriptor per thread and event, and
// only where TEFF_STAT_EVENTS asks for them. A kernel or machine without an event is no error: the
// board has the errno value.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "teff_stat.h"

namespace teff::probe::stat {

using Counters = teff_stat_worker;

// The counters of the worker `number`, whose thread is the caller. Null: nothing is counted. The
// first call of a process makes its board.
Counters* open(std::uint32_t number);

// The calling thread counts no more.
void end_thread(Counters& counters);

// In a forked child, before any of its threads counts.
void forget_other_threads();

// The process ends in order.
void finish();

inline void count(Counters& counters, teff_stat_count what, std::uint64_t times = 1) { counters.counts[what] += times; }

// The worker does something else from `now` on.
inline void enter(Counters& counters, teff_stat_state state, base::Ticks now) {
    if (counters.since != 0) {
        counters.ticks[counters.state] += now - counters.since;
        counters.since = now;
    }
    counters.state = state;
}

// The same for now, whose time is taken where it counts.
inline void enter(Counters& counters, teff_stat_state state) {
    enter(counters, state, counters.since != 0 ? base::ticks() : 0);
}

} // namespace teff::probe::stat
