// SPDX-License-Identifier: Apache-2.0
//
// Loop: the work-sharing loop construct as one member meets it: start, then next until it says no,
// then end.
//
// A LoopRequest describes the construct; every member passes an equal one, the first to arrive sets
// the construct up (work_share.h). The door of a combined construct (parallel loop, parallel
// sections) gets the region and the loop at once: there the leader sets the loop up as the region's
// construct number 0 before the other members start, and their first call is `next`.
//
// `site` everywhere: of the construct's call.
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
    bool is_unsigned = false;        // recording: how to read the bounds
    bool sections = false;           // recording
    bool divided_by_program = false; // handed over for its reductions alone; `iterations` are not the loop's
    task::WorksharingReductions reductions;
    DoacrossShape doacross;  // if it has loops, the schedule is monotonic
    void** memory = nullptr; // in: a size; out: that many zeroed bytes, the same for all members
};

// The calling member meets the construct.
void start(team::Worker& worker, const LoopRequest& request);

// Its next chunk, by number. False: there is none.
bool next(team::Worker& worker, Span& span, base::CallSite site);

// The ends of the construct, without and with a barrier; the last for a construct that may be
// cancelled: returns whether the region was.
void end_nowait(team::Worker& worker);
void end(team::Worker& worker, base::CallSite site);
bool end_cancel(team::Worker& worker, base::CallSite site);

// Sets up a construct of `team` that the caller has claimed. Does not open it.
void set_up(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request);

// `next` in values of the loop variable.
template <class Integer> bool next_values(team::Worker& worker, Integer* first, Integer* bound, base::CallSite site) {
    Span span;
    if (!next(worker, span, site)) return false;
    const Iterations& iterations = worker.member->loop.current->iterations;
    *first = static_cast<Integer>(iterations.value(span.first));
    *bound = static_cast<Integer>(iterations.bound(span.last));
    return true;
}

// The loop of a member that is alone in its team. It shares the loop with nobody, so it takes all
// iterations when it starts, and needs no construct: from then on its current one is `all_taken`.
//
// Not for schedules that promise smaller pieces (dynamic, monotonic; sections are such a loop), nor
// for loops whose construct has more to it (shared memory, task reductions), nor while someone
// watches.

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

// `start` and the first `next`.
template <class Integer>
[[gnu::always_inline]] inline bool start_values(team::Worker& worker, const LoopRequest& request, Integer* first,
                                                Integer* bound) {
    const bool whole = request.schedule.kind != icv::ScheduleKind::dynamic || !request.schedule.monotonic;
    const bool plain = whole && request.reductions.own == nullptr && request.memory == nullptr;
    if (plain && is_alone(worker)) return start_alone(worker, request.iterations, first, bound);
    start(worker, request);
    return next_values(worker, first, bound, request.site);
}

// A combined construct: opens the region and sets its loop up; the caller is member 0 then, as
// after region::begin.
void begin_parallel_loop(team::Worker& worker, region::Construct construct, const LoopRequest& request);

// The same, then the caller's part of the body, then the end of the region.
void run_parallel_loop(team::Worker& worker, region::Construct construct, const LoopRequest& request);

} // namespace teff::loop
