// SPDX-License-Identifier: Apache-2.0
//
// Loop: the work-sharing loop construct as one member meets it: start, then next until it says no,
// then end.
//
// A LoopRequest describes the construct; every member passes an equal one, the first to arrive sets
// the construct up (work_share.h). In a combined construct (combined.h) it is set up before the
// members start, and their first call is `next`.
//
// `site` everywhere: of the construct's call.
#pragma once

#include "base/call_site.h"
#include "loop/alone.h"
#include "loop/doacross.h"
#include "loop/schedule_choice.h"
#include "loop/work_share.h"
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

} // namespace teff::loop
