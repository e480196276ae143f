// SPDX-License-Identifier: Apache-2.0
//
// Ordered regions. A member has the turn for a whole chunk. It waits for the turn at its first
// ordered region in the chunk, or, if it meets none, when it asks for the next chunk. When it asks
// for the next chunk, it passes the turn on. So the turn goes through all chunks in the order of
// the iterations.
//
// Schedules of ordered loops are monotonic: a member that waited for the turn of a later chunk
// while it still holds an earlier one would wait for ever. Waiting sleeps after a moment; it blocks
// the thread, as an ordered region is no task scheduling point. With TEFF_TSC=relaxed, in a region
// with tasks, the worker does something else meanwhile, as one that waits for a lock does
// (task/lock_wait.h): the implicit task leaves its stack, and comes back to it at the worker's next
// task scheduling point after its turn has come. It does not do so in processes that allow
// cancellation, as it would not be notified of one.
#pragma once

#include "base/call_site.h"
#include "loop/work_share.h"
#include "team/worker.h"

namespace teff::loop {

// An ordered region begins. No effect outside ordered loops.
void ordered_begin(team::Worker& worker, base::CallSite site);

// An ordered region ends. The turn is for the whole chunk: it is passed on when the member asks for
// the next one.
void ordered_end(team::Worker& worker, base::CallSite site);

// The member is through with its chunk, if it has one: passes the turn on to the chunk behind it.
void pass_turn(team::Worker& worker, base::CallSite site);

// The member has taken a chunk.
inline void hold_for_turn(team::Member& member, Span span) {
    member.loop.ordered_first = span.first;
    member.loop.ordered_count = span.last - span.first;
}

} // namespace teff::loop
