// SPDX-License-Identifier: Apache-2.0
// What work-sharing writes into a recording. Called only while one is on (Worker::trace is not null).
#pragma once

#include "base/call_site.h"
#include "base/clock.h"
#include "loop/loop.h"

namespace teff::loop {

// The first member has set the construct up.
void record_loop(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request);

// A member has come to the construct, and goes.
void record_enter(team::Worker& worker);
void record_leave(team::Worker& worker);

// A member has got a chunk; it is through with the chunk that it had, if any.
void record_chunk_begin(team::Member& member, Span span);
void record_chunk_end(team::Worker& worker);

// A member has waited for its turn since `begin`.
void record_ordered_wait(team::Worker& worker, base::Ticks begin, base::CallSite site);

} // namespace teff::loop
