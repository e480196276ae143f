// SPDX-License-Identifier: Apache-2.0
//
// Tells the recording where the fragments of tasks and chunks begin and end on a worker's thread,
// if it counts events in them (probe/trace/stream_counts.cpp). The events of tasks, regions and
// loops call these functions: fragment_ends as their first step, and fragment_begins as their last,
// so that what the runtime and the other sinks do in between belongs to no fragment. Both may be
// called twice in a row; the second call has no effect. Called by the worker's own thread only.
#pragma once

#include "team/probes.h"

namespace teff::task::events {

namespace fragments {
TEFF_COLD void begin(team::Worker& worker);
TEFF_COLD void end(team::Worker& worker);
} // namespace fragments

// The worker's current task goes on.
inline void fragment_begins(team::Worker& worker) {
    if (TEFF_UNLIKELY(team::counts_fragments(worker))) fragments::begin(worker);
}

// The worker's current task stops, or calls the runtime.
inline void fragment_ends(team::Worker& worker) {
    if (TEFF_UNLIKELY(team::counts_fragments(worker))) fragments::end(worker);
}

} // namespace teff::task::events
