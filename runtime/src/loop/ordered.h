// SPDX-License-Identifier: Apache-2.0
//
// Ordered regions. A member has the turn for a whole chunk. It waits for the turn at its first
// ordered region in the chunk. If the chunk has no ordered region, the member waits for the turn
// when it asks for the next chunk. In both cases the member passes the turn on when it asks for the
// next chunk. So the turn goes through all chunks in the order of the iterations.
//
// Schedules of ordered loops are monotonic: a member that waited for the turn of a later chunk
// while it still had an earlier chunk would wait for ever. A wait spins for a moment, then sleeps
// and blocks the thread, because an ordered region is not a task scheduling point. With
// TEFF_TSC=relaxed, in a region with tasks, the worker runs other tasks during the wait, like a
// worker that waits for a lock (task/lock_wait.h): the implicit task leaves its stack, and
// continues at the worker's next task scheduling point after its turn has come. A worker that runs
// a task in place of preempted tasks does the same. In processes that allow cancellation the worker
// always blocks (task/blocked_wait.h), because nothing would notify it of a cancellation.
#pragma once

#include "base/call_site.h"
#include "loop/work_share.h"
#include "team/worker.h"

namespace teff::loop {

// Called when an ordered region begins. Waits for the turn. No effect outside ordered loops.
void ordered_begin(team::Worker& worker, base::CallSite site);

// Called when an ordered region ends. The member keeps the turn, which is for the whole chunk,
// until it asks for the next chunk.
void ordered_end(team::Worker& worker, base::CallSite site);

// Called when the member has finished its chunk. Waits for the turn if necessary, and passes it on
// to the next chunk. No effect if the member has no chunk.
void pass_turn(team::Worker& worker, base::CallSite site);

// Called when the member has taken a chunk, for which it will need the turn.
inline void hold_for_turn(team::Member& member, Span span) {
    member.loop.ordered_first = span.first;
    member.loop.ordered_count = span.last - span.first;
}

} // namespace teff::loop
