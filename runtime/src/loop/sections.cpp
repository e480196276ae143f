// SPDX-License-Identifier: Apache-2.0
#include "loop/sections.h"

#include "loop/events.h"

namespace teff::loop {

LoopRequest sections_request(unsigned count, base::CallSite site) {
    LoopRequest request;
    request.iterations = Iterations::of(1, static_cast<long>(count) + 1, 1);
    request.schedule = ScheduleChoice::fixed(icv::ScheduleKind::dynamic, Order::monotonic, 1l);
    request.site = site;
    request.sections = true;
    return request;
}

unsigned sections_start(team::Worker& worker, const LoopRequest& request) {
    start(worker, request);
    return sections_next(worker, request.site);
}

unsigned sections_next(team::Worker& worker, base::CallSite site) {
    Span span;
    return next(worker, span, site) ? static_cast<unsigned>(span.first + 1) : 0;
}

void scope_start(team::Worker& worker, const task::WorksharingReductions& reductions, base::CallSite site) {
    const Entry entry = enter(worker);
    if (entry.first) entry.share.reductions = reductions.own;
    reductions.enter(worker, reductions.own, entry.first ? nullptr : entry.share.reductions);
    if (entry.first) open(entry.share);
    leave(worker);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::scope_begins(worker, site);
}

} // namespace teff::loop
