// SPDX-License-Identifier: Apache-2.0
//
// Counters: the embedded monitor. If TEFF_STAT names a folder, the monitor counts and times what
// each worker does (teff_stat.h describes the format).
//
// A worker's Counters lie on cache lines of their own, in a file that is mapped as shared memory.
// `teff stat` reads them there. While the program runs, only the worker's thread writes them, by
// plain stores. They live as long as the process, so a thread that counts while the process exits
// writes into valid memory. If a worker number is used again, the counters of this number continue.
// A forked child gets a board of its own.
//
// Only two kinds of code paths count: those that a probe switches on (Worker::probes), and those
// that a thread takes when it meets contention or wakes another thread (base/contention.h).
//
// Hardware counters are events of Linux's perf_event. They take one file descriptor per thread and
// event, and are used only if TEFF_STAT_EVENTS asks for them. If the kernel or the machine does not
// have an event, the runtime continues without the event, and the board has the errno value.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "teff_stat.h"

namespace teff::probe::stat {

using Counters = teff_stat_worker;

// Returns the counters of the worker `number`, or null if the worker is not counted. Called by the
// worker's thread. The first call in a process makes the process's board.
Counters* open(std::uint32_t number);

// Ends the counting of the calling thread, whose counters these are.
void end_thread(Counters& counters);

// Resets the lock, which another thread of the parent may have held. Called in a forked child,
// before any of the child's threads counts.
void forget_other_threads();

// Completes the board when the process ends in order.
void finish();

inline void count(Counters& counters, teff_stat_count what, std::uint64_t times = 1) { counters.counts[what] += times; }

// The worker enters `state` at the time `now`. Adds the time since the last change to the state
// that the worker leaves, if the worker is timed.
inline void enter(Counters& counters, teff_stat_state state, base::Ticks now) {
    if (counters.since != 0) {
        counters.ticks[counters.state] += now - counters.since;
        counters.since = now;
    }
    counters.state = state;
}

// Does the same for the present time, and reads the clock only if the worker is timed.
inline void enter(Counters& counters, teff_stat_state state) {
    enter(counters, state, counters.since != 0 ? base::ticks() : 0);
}

} // namespace teff::probe::stat
