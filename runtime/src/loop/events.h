// SPDX-License-Identifier: Apache-2.0
//
// What work-sharing tells the probes. Called only while one is on (Worker::probes is not 0), by the
// worker's own thread. Each function serves every sink that is on; the sinks' own halves are in
// events_trace.cpp and events_ompt.cpp. They only tell: they return nothing but times and ids, wake
// nobody, wait for nobody, and run no code of the program (scripts/check_sinks.py).
#pragma once

#include "base/clock.h"
#include "loop/doacross.h"
#include "loop/loop.h"

namespace teff::loop::events {

// The first member has set the construct up.
TEFF_COLD void set_up(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request);

// A member has come to the construct, and goes.
TEFF_COLD void entered(team::Worker& worker);
TEFF_COLD void left(team::Worker& worker);

// A member has got a chunk; it is through with the chunk that it had, if any.
TEFF_COLD void chunk_begins(team::Worker& worker, Span span, base::CallSite site);
TEFF_COLD void chunk_ends(team::Worker& worker);

// An ordered region begins; its member has the turn; it ends.
TEFF_COLD void ordered_begins(team::Worker& worker, base::CallSite site);
TEFF_COLD void ordered_entered(team::Worker& worker, base::CallSite site);
TEFF_COLD void ordered_ends(team::Worker& worker, base::CallSite site);

// A member waits for its turn, or for an iteration's source. The first returns since when, for the
// second.
TEFF_COLD base::Ticks turn_wait_begins(team::Worker& worker, base::CallSite site);
TEFF_COLD void turn_wait_ends(team::Worker& worker, base::CallSite site, base::Ticks began);

// An iteration of a doacross loop has come to its source, or to a sink. `indices`: one for each
// loop of the nest.
TEFF_COLD void doacross_source(team::Worker& worker, IndexVector indices);
TEFF_COLD void doacross_sink(team::Worker& worker, IndexVector indices);

// A member has met `single`, and is to run its body or not; with copyprivate the program tells
// where the body ends.
TEFF_COLD void single_begins(team::Worker& worker, bool executor, base::CallSite site);
TEFF_COLD void single_ends(team::Worker& worker);

// A member has met a scope construct with task reductions.
TEFF_COLD void scope_begins(team::Worker& worker, base::CallSite site);

} // namespace teff::loop::events
