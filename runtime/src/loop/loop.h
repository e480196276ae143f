// SPDX-License-Identifier: Apache-2.0
//
// Loop: the work-sharing loop construct as one member uses it. The member calls start, then next
// until it returns false, then end.
//
// A LoopRequest describes the construct. Every member passes an equal request, and the first member
// to arrive sets up the construct (work_share.h). The entry point of a combined construct (parallel
// loop, parallel sections) gets the region and the loop together. In this case the leader sets up
// the loop as construct number 0 of the region before the other members start, and the members'
// first call is `next`.
//
// `site`, in all functions: the call site of the construct.
#pragma once

#include "base/call_site.h"
#include "loop/doacross.h"
#include "loop/schedule_choice.h"
#include "loop/work_share.h"
#include "region/region.h"
#include "task/reduction.h"
#include "team/worker.h"

namespace teff::loop {

struct LoopRequest {
    Iterations iterations;
    ScheduleChoice schedule;
    base::CallSite site = {};
    bool ordered = false;
    bool is_unsigned = false;        // for a recording: the bounds are unsigned
    bool sections = false;           // for the probes: the construct is sections
    bool divided_by_program = false; // passed for its reductions only; `iterations` is not used
    task::WorksharingReductions reductions;
    DoacrossShape doacross;  // if this has loops, the schedule must be monotonic
    void** memory = nullptr; // in: a size in bytes; out: zeroed memory of this size, shared by all members
};

// Called when the calling member meets the construct.
void start(team::Worker& worker, const LoopRequest& request);

// Gets the calling member's next chunk, as iteration numbers. Returns false if there is none.
bool next(team::Worker& worker, Span& span, base::CallSite site);

// End the construct: end_nowait without a barrier, end with a barrier. end_cancel is for a
// construct that may be cancelled: it has a barrier, and returns true if the region was cancelled.
void end_nowait(team::Worker& worker);
void end(team::Worker& worker, base::CallSite site);
bool end_cancel(team::Worker& worker, base::CallSite site);

// Sets up a construct of `team` that the caller has claimed. Does not open it.
void set_up(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request);

// As `next`, but gives the values of the loop variable.
template <class Integer> bool next_values(team::Worker& worker, Integer* first, Integer* bound, base::CallSite site) {
    Span span;
    if (!next(worker, span, site)) return false;
    const Iterations& iterations = worker.member->loop.current->iterations;
    *first = static_cast<Integer>(iterations.value(span.first));
    *bound = static_cast<Integer>(iterations.bound(span.last));
    return true;
}

// The loop of a member that is alone in its team. No other member shares the loop, so the member
// takes all iterations when it starts, and needs no construct: from then on its current construct
// is `all_taken`.
//
// This shortcut is not used
// - for schedules that promise smaller pieces (dynamic, monotonic; also sections, which are such a
//   loop),
// - for loops whose construct needs more (shared memory, task reductions),
// - while a probe is on.

// A construct without iterations, shared by all threads. No thread writes to it.
extern constinit WorkShare all_taken;

inline bool is_alone(const team::Worker& worker) { return worker.member->team->size == 1 && worker.probes == 0; }

[[gnu::always_inline]] inline void enter_all_taken(team::Worker& worker) {
    team::LoopPlace& place = worker.member->loop;
    ++place.sequence;
    place.current = &all_taken;
    place.static_trip = 0;
    place.ordered_count = 0;
}

// Called when the calling member, which must be alone, meets a loop. Takes all iterations. Returns
// false if the loop has none.
template <class Integer>
bool start_alone(team::Worker& worker, const Iterations& iterations, Integer* first, Integer* bound) {
    enter_all_taken(worker);
    if (iterations.count == 0) return false;
    *first = static_cast<Integer>(iterations.start);
    *bound = static_cast<Integer>(iterations.end);
    return true;
}

// The same for a program that asks for the values by further calls: next_alone gives the values
// from `first` to `last` once, if there are any.
[[gnu::always_inline]] inline void start_alone_later(team::Worker& worker, std::uint64_t first, std::uint64_t last,
                                                     std::uint64_t step, bool is_empty) {
    enter_all_taken(worker);
    worker.member->whole_loop = {first, last, step, !is_empty};
}

// Returns true if the calling member's loop was started by start_alone_later.
inline bool is_in_whole_loop(const team::Worker& worker) { return worker.member->loop.current == &all_taken; }

// Returns the values; null, and ends the construct, if they have been given.
[[gnu::always_inline]] inline const team::WholeLoop* next_alone(team::Worker& worker) {
    team::Member& member = *worker.member;
    if (!member.whole_loop.is_left) return member.loop.current = nullptr, nullptr;
    member.whole_loop.is_left = false;
    return &member.whole_loop;
}

// Calls `start` and then the first `next`.
template <class Integer>
[[gnu::always_inline]] inline bool start_values(team::Worker& worker, const LoopRequest& request, Integer* first,
                                                Integer* bound) {
    const bool whole = request.schedule.kind != icv::ScheduleKind::dynamic || !request.schedule.monotonic;
    const bool plain = whole && request.reductions.own == nullptr && request.memory == nullptr;
    if (plain && is_alone(worker)) return start_alone(worker, request.iterations, first, bound);
    start(worker, request);
    return next_values(worker, first, bound, request.site);
}

// Begins a combined construct: opens the region and sets up its loop. Afterwards the caller is
// member 0, as after region::begin.
void begin_parallel_loop(team::Worker& worker, region::Construct construct, const LoopRequest& request);

// As begin_parallel_loop, but then also runs the caller's part of the body and ends the region.
void run_parallel_loop(team::Worker& worker, region::Construct construct, const LoopRequest& request);

} // namespace teff::loop
