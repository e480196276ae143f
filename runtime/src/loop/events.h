// SPDX-License-Identifier: Apache-2.0
//
// What work-sharing reports to the probes. Called only while one is on (Worker::probes is not 0),
// by the worker's own thread. Each function serves every sink that is on; the sinks' own halves are
// in events_trace.cpp and events_ompt.cpp. They only report: they return nothing but times and ids,
// wake nobody, wait for nobody, and run no code of the program (scripts/check_sinks.py).
#pragma once

#include "base/clock.h"
#include "loop/doacross.h"
#include "loop/loop.h"
#include "task/task.h"
#include "team/probes.h"

namespace teff::loop::events {

// The sinks' halves: events_trace.cpp appends records to the worker's stream, events_ompt.cpp tells
// the tool. Each is called only while its sink is on.
namespace trace {
void set_up(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request);
void entered(team::Worker& worker, base::Ticks met);
void left(team::Worker& worker, base::Ticks when);
void chunk_begins(team::Member& member, Span span);
void chunk_ends(team::Worker& worker);
void turn_wait_begins(team::Member& member);
void turn_wait_ends(team::Worker& worker, base::CallSite site, base::Ticks began);
void ordered_entered(team::Member& member, base::CallSite site);
void ordered_ends(team::Worker& worker);
void doacross_posted(team::Worker& worker, std::uint64_t iteration, base::Ticks when);
void doacross_waited(team::Worker& worker, std::uint64_t iteration, base::Ticks met);
void single_begins(team::Worker& worker); // its body
} // namespace trace

namespace ompt {
void set_up(WorkShare& share, const LoopRequest& request);
void entered(team::Worker& worker);
void left(team::Worker& worker);
void chunk_begins(team::Worker& worker, Span span, base::CallSite site);
void ordered_begins(team::Worker& worker, base::CallSite site);
void ordered_entered(team::Worker& worker, base::CallSite site);
void ordered_ends(team::Worker& worker, base::CallSite site);
void turn_wait_begins(team::Worker& worker, base::CallSite site);
void turn_wait_ends(team::Worker& worker);
void doacross(team::Worker& worker, IndexVector indices, bool source);
void single_begins(team::Worker& worker, bool executor, base::CallSite site);
void single_ends(team::Worker& worker);
void scope_begins(team::Worker& worker, base::CallSite site);
} // namespace ompt

// The interface.

// The first member has set the construct up.
TEFF_APART inline void set_up(team::Worker& worker, const team::Team& team, WorkShare& share,
                              const LoopRequest& request) {
    if (traced(worker)) trace::set_up(worker, team, share, request);
    if (observed(worker)) ompt::set_up(share, request);
}

// A member has come to the construct, which it had met at `met`; and goes. The second returns since
// when: from there on it waits at the barrier, if there is one.
TEFF_APART inline void entered(team::Worker& worker, base::Ticks met) {
    if (observed(worker)) ompt::entered(worker);
    if (traced(worker)) trace::entered(worker, met);
}

TEFF_APART inline base::Ticks left(team::Worker& worker) {
    const base::Ticks now = base::ticks();
    if (worker.member->loop.current == nullptr) return now;
    if (traced(worker)) trace::left(worker, now);
    if (observed(worker)) ompt::left(worker);
    return now;
}

// A member has got a chunk; it is through with the chunk that it had, if any.
TEFF_APART inline void chunk_begins(team::Worker& worker, Span span, base::CallSite site) {
    if (observed(worker)) ompt::chunk_begins(worker, span, site);
    if (traced(worker)) trace::chunk_begins(*worker.member, span);
}

TEFF_APART inline void chunk_ends(team::Worker& worker) {
    if (traced(worker)) trace::chunk_ends(worker);
}

// An ordered region begins; its member has the turn; it ends.
TEFF_APART inline void ordered_begins(team::Worker& worker, base::CallSite site) {
    if (traced(worker)) trace::turn_wait_begins(*worker.member);
    if (observed(worker)) ompt::ordered_begins(worker, site);
}

TEFF_APART inline void ordered_entered(team::Worker& worker, base::CallSite site) {
    if (traced(worker)) trace::ordered_entered(*worker.member, site);
    if (observed(worker)) ompt::ordered_entered(worker, site);
}

TEFF_APART inline void ordered_ends(team::Worker& worker, base::CallSite site) {
    if (traced(worker)) trace::ordered_ends(worker);
    if (observed(worker)) ompt::ordered_ends(worker, site);
}

// A member waits for its turn, or for an iteration's source. The first returns since when, for the
// second.
TEFF_APART inline base::Ticks turn_wait_begins(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::turn_wait_begins(worker, site);
    worker.task->departures = 0;
    return base::ticks();
}

TEFF_APART inline void turn_wait_ends(team::Worker& worker, base::CallSite site, base::Ticks began) {
    if (traced(worker)) trace::turn_wait_ends(worker, site, began);
    if (observed(worker)) ompt::turn_wait_ends(worker);
}

// An iteration of a doacross loop comes to its source, or to a sink. `indices`: one for each loop
// of the nest.
TEFF_APART inline void doacross_source(team::Worker& worker, IndexVector indices) {
    if (observed(worker)) ompt::doacross(worker, indices, true);
}

TEFF_APART inline void doacross_sink(team::Worker& worker, IndexVector indices) {
    if (traced(worker)) trace::turn_wait_begins(*worker.member);
    if (observed(worker)) ompt::doacross(worker, indices, false);
}

// The source was posted, from `when` on; the sink, met at `met`, names an iteration that has come
// to its source. `iteration`: its number in the nest.
TEFF_APART inline void doacross_posted(team::Worker& worker, std::uint64_t iteration, base::Ticks when) {
    if (traced(worker)) trace::doacross_posted(worker, iteration, when);
}

TEFF_APART inline void doacross_waited(team::Worker& worker, std::uint64_t iteration, base::Ticks met) {
    if (traced(worker)) trace::doacross_waited(worker, iteration, met);
}

// A member has met `single`, and is to run its body or not; with copyprivate the program tells
// where the body ends.
TEFF_APART inline void single_begins(team::Worker& worker, bool executor, base::CallSite site) {
    if (executor && traced(worker)) trace::single_begins(worker);
    if (observed(worker)) ompt::single_begins(worker, executor, site);
}

TEFF_APART inline void single_ends(team::Worker& worker) {
    if (observed(worker)) ompt::single_ends(worker);
}

// A member has met a scope construct with task reductions.
TEFF_APART inline void scope_begins(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::scope_begins(worker, site);
}

} // namespace teff::loop::events
