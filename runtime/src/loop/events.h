// SPDX-License-Identifier: Apache-2.0
//
// The events that work-sharing reports to the probes. The functions are called only while a probe
// is on (Worker::probes is not 0), by the worker's own thread. Each function reports to every sink
// that is on; the code for each sink is in events_trace.cpp and events_ompt.cpp. The functions only
// report: they return nothing but times and ids, wake no thread, wait for no thread, and run no
// code of the program (scripts/check_sinks.py).
#pragma once

#include <cstdint>
#include <span>

#include "base/clock.h"
#include "loop/doacross.h"
#include "loop/loop.h"
#include "task/events_fragments.h"
#include "task/task.h"
#include "team/probes.h"

namespace teff::loop::events {

// A construct for which the program asks for bounds, and then runs the member's part itself.
enum class StaticKind : std::uint8_t { kLoop, kSections, kDistribute };

// The sinks' parts. Those of events_trace.cpp append records to the worker's stream; those of
// events_ompt.cpp call the tool. Each is called only while its sink is on.
namespace trace {
void set_up(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request);
void entered(team::Worker& worker, base::Ticks met);
void left(team::Worker& worker, base::Ticks when);
void chunk_begins(team::Member& member, Span span);
void chunk_ends(team::Worker& worker);
void turn_wait_begins(team::Member& member);
void turn_wait_ends(team::Worker& worker, base::CallSite site, base::Ticks began, base::Ticks ended);
void ordered_entered(team::Member& member, base::CallSite site);
void ordered_ends(team::Worker& worker);
std::uint64_t nest_set_up(team::Worker& worker, const team::Team& team, const Iterations& outermost,
                          base::CallSite site);
void doacross_posted(team::Worker& worker, std::uint64_t loop, std::uint64_t iteration, base::Ticks when);
void doacross_waited(team::Worker& worker, std::uint64_t loop, std::uint64_t iteration, base::Ticks met);
void single_begins(team::Worker& worker); // the body of a single begins
void static_begins(team::Worker& worker, StaticKind kind, std::uint64_t count);
void static_ends(team::Worker& worker);
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
void nest_position(team::Worker& worker, std::span<const std::int64_t> position, bool source);
void single_begins(team::Worker& worker, bool executor, base::CallSite site);
void single_ends(team::Worker& worker);
void scope_begins(team::Worker& worker, base::CallSite site);
void static_begins(team::Worker& worker, StaticKind kind, std::uint64_t count, Span part, base::CallSite site);
void static_ends(team::Worker& worker, base::CallSite site);
void masked(team::Worker& worker, bool begins, base::CallSite site);
void reduction(team::Worker& worker, bool begins, base::CallSite site);
void flush(team::Worker& worker, base::CallSite site);
} // namespace ompt

// The functions that work-sharing calls.

// The first member has set up the construct.
TEFF_APART inline void set_up(team::Worker& worker, const team::Team& team, WorkShare& share,
                              const LoopRequest& request) {
    task::events::fragment_ends(worker);
    if (traced(worker)) trace::set_up(worker, team, share, request);
    if (observed(worker)) ompt::set_up(share, request);
}

// entered: the member has entered the construct, which it met at the time `met`. left: the member
// leaves the construct. left returns the present time: from then on the member waits at the
// construct's barrier, if it has one.
TEFF_APART inline void entered(team::Worker& worker, base::Ticks met) {
    task::events::fragment_ends(worker);
    if (observed(worker)) ompt::entered(worker);
    if (traced(worker)) trace::entered(worker, met);
}

TEFF_APART inline base::Ticks left(team::Worker& worker) {
    const base::Ticks now = base::ticks();
    if (worker.member->loop.current == nullptr) return now;
    task::events::fragment_ends(worker);
    if (traced(worker)) trace::left(worker, now);
    if (observed(worker)) ompt::left(worker);
    task::events::fragment_begins(worker);
    return now;
}

// chunk_begins: the member has got a chunk. chunk_ends: the member has finished its chunk. No
// effect if it has none.
TEFF_APART inline void chunk_begins(team::Worker& worker, Span span, base::CallSite site) {
    if (observed(worker)) ompt::chunk_begins(worker, span, site);
    if (traced(worker)) trace::chunk_begins(*worker.member, span);
    task::events::fragment_begins(worker);
}

TEFF_APART inline void chunk_ends(team::Worker& worker) {
    task::events::fragment_ends(worker);
    if (traced(worker)) trace::chunk_ends(worker);
}

// ordered_begins: the member meets an ordered region. ordered_entered: the member has the turn.
// ordered_ends: the region ends. A recording has no ordered region outside of a loop.
TEFF_APART inline void ordered_begins(team::Worker& worker, base::CallSite site) {
    if (traced(worker)) trace::turn_wait_begins(*worker.member);
    if (observed(worker)) ompt::ordered_begins(worker, site);
}

TEFF_APART inline void ordered_entered(team::Worker& worker, base::CallSite site) {
    if (traced(worker) && worker.member->loop.current != nullptr) trace::ordered_entered(*worker.member, site);
    if (observed(worker)) ompt::ordered_entered(worker, site);
}

TEFF_APART inline void ordered_ends(team::Worker& worker, base::CallSite site) {
    if (traced(worker) && worker.member->loop.current != nullptr) trace::ordered_ends(worker);
    if (observed(worker)) ompt::ordered_ends(worker, site);
}

// The member waits for its turn, or for the source of an iteration. turn_wait_begins returns the
// present time, to be passed to turn_wait_ends as `began`.
TEFF_APART inline base::Ticks turn_wait_begins(team::Worker& worker, base::CallSite site) {
    task::events::fragment_ends(worker);
    if (observed(worker)) ompt::turn_wait_begins(worker, site);
    worker.task->departures = 0;
    return base::ticks();
}

TEFF_APART inline void turn_wait_ends(team::Worker& worker, base::CallSite site, base::Ticks began) {
    if (const base::Ticks ended = team::recorded_until(worker, began))
        trace::turn_wait_ends(worker, site, began, ended);
    if (observed(worker)) ompt::turn_wait_ends(worker);
    task::events::fragment_begins(worker);
}

// An iteration of a doacross loop has reached its source (doacross_source), or has met a sink
// (doacross_sink). `indices`: one index for each loop of the nest.
TEFF_APART inline void doacross_source(team::Worker& worker, IndexVector indices) {
    if (observed(worker)) ompt::doacross(worker, indices, true);
}

TEFF_APART inline void doacross_sink(team::Worker& worker) {
    if (traced(worker)) trace::turn_wait_begins(*worker.member);
}

// doacross_posted: the source, reached at the time `when`, was posted. doacross_waited: the
// iteration that a sink names, met at the time `met`, has reached its source. `iteration`: the
// iteration's number in the nest. A sink that names no iteration has no effect, and no event.
TEFF_APART inline void doacross_posted(team::Worker& worker, std::uint64_t iteration, base::Ticks when) {
    if (traced(worker)) trace::doacross_posted(worker, worker.member->loop.current->id, iteration, when);
}

TEFF_APART inline void doacross_waited(team::Worker& worker, IndexVector indices, std::uint64_t iteration,
                                       base::Ticks met) {
    if (traced(worker)) trace::doacross_waited(worker, worker.member->loop.current->id, iteration, met);
    if (observed(worker)) ompt::doacross(worker, indices, false);
}

// The same, of a nest whose iterations the program divides. nest_set_up: the first member has met
// it; returns the recording's id of the nest, or 0 if nothing is recorded. nest_posted and
// nest_waited: `nest` is that id.
TEFF_APART inline std::uint64_t nest_set_up(team::Worker& worker, const team::Team& team, const Iterations& outermost,
                                            base::CallSite site) {
    if (!traced(worker)) return 0;
    task::events::fragment_ends(worker);
    const std::uint64_t nest = trace::nest_set_up(worker, team, outermost, site);
    task::events::fragment_begins(worker);
    return nest;
}

TEFF_APART inline void nest_posted(team::Worker& worker, std::uint64_t nest, std::uint64_t iteration,
                                   base::Ticks when) {
    if (traced(worker) && nest != 0) trace::doacross_posted(worker, nest, iteration, when);
}

TEFF_APART inline void nest_waited(team::Worker& worker, std::uint64_t nest, std::uint64_t iteration, base::Ticks met) {
    if (traced(worker) && nest != 0) trace::doacross_waited(worker, nest, iteration, met);
}

// For the tools of OMPT: nest_source before the source is posted, nest_sink after the wait.
// `position`: a value for each loop.
TEFF_APART inline void nest_source(team::Worker& worker, std::span<const std::int64_t> position) {
    if (observed(worker)) ompt::nest_position(worker, position, true);
}

TEFF_APART inline void nest_sink(team::Worker& worker, std::span<const std::int64_t> position) {
    if (observed(worker)) ompt::nest_position(worker, position, false);
}

// single_begins: the member has met `single`. `executor`: this member runs the body. single_ends:
// the body has ended. Not every program reports the
// end of the body.
TEFF_APART inline void single_begins(team::Worker& worker, bool executor, base::CallSite site) {
    if (executor && traced(worker)) trace::single_begins(worker);
    if (observed(worker)) ompt::single_begins(worker, executor, site);
}

TEFF_APART inline void single_ends(team::Worker& worker) {
    if (observed(worker)) ompt::single_ends(worker);
}

// static_begins: the member has met a construct of `count` iterations or sections, and has got the
// bounds of `part`; the program may compute further parts from them. static_ends: the member is
// past the construct.
TEFF_APART inline void static_begins(team::Worker& worker, StaticKind kind, std::uint64_t count, Span part,
                                     base::CallSite site) {
    if (observed(worker)) ompt::static_begins(worker, kind, count, part, site);
    if (traced(worker)) trace::static_begins(worker, kind, count);
}

TEFF_APART inline void static_ends(team::Worker& worker, base::CallSite site) {
    if (traced(worker)) trace::static_ends(worker);
    if (observed(worker)) ompt::static_ends(worker, site);
}

// The member begins or ends the body of masked; begins or ends to combine its copies for a
// reduction; has met a flush.
TEFF_APART inline void masked(team::Worker& worker, bool begins, base::CallSite site) {
    if (observed(worker)) ompt::masked(worker, begins, site);
}

TEFF_APART inline void reduction(team::Worker& worker, bool begins, base::CallSite site) {
    if (observed(worker)) ompt::reduction(worker, begins, site);
}

TEFF_APART inline void flush(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::flush(worker, site);
}

// The member has met a scope construct with task reductions.
TEFF_APART inline void scope_begins(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::scope_begins(worker, site);
}

} // namespace teff::loop::events
