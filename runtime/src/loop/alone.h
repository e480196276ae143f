// SPDX-License-Identifier: Apache-2.0
//
// Alone: the loop of a member that is alone in its team. It shares the loop with nobody, so it
// takes all iterations when it starts, and needs no construct: from then on its current one is
// `all_taken`.
//
// Not for schedules that promise smaller pieces (dynamic, monotonic; sections are such a loop), nor
// for loops whose construct has more to it (shared memory, task reductions), nor while someone
// watches.
#pragma once

#include "loop/work_share.h"

namespace teff::loop {

// A construct without iterations, for all threads. Nobody writes to it.
extern constinit WorkShare all_taken;

inline bool is_alone(const team::Worker& worker) { return worker.member->team->size == 1 && worker.probes == 0; }

// The calling member, which is alone, meets a loop and takes its iterations. False: it has none.
template <class Integer>
bool start_alone(team::Worker& worker, const Iterations& iterations, Integer* first, Integer* bound) {
    team::LoopPlace& place = worker.member->loop;
    ++place.sequence;
    place.current = &all_taken;
    place.static_trip = 0;
    place.ordered_count = 0;
    if (iterations.count == 0) return false;
    *first = static_cast<Integer>(iterations.start);
    *bound = static_cast<Integer>(iterations.end);
    return true;
}

} // namespace teff::loop
