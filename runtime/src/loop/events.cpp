// SPDX-License-Identifier: Apache-2.0
#include "loop/events.h"

#include "loop/events_ompt.h"
#include "loop/events_trace.h"
#include "team/probes.h"

namespace teff::loop::events {

void set_up(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request) {
    if (traced(worker)) trace::set_up(worker, team, share, request);
    if (observed(worker)) ompt::set_up(share, request);
}

void entered(team::Worker& worker) {
    if (observed(worker)) ompt::entered(worker);
    if (traced(worker)) trace::entered(worker);
}

void left(team::Worker& worker) {
    if (worker.member->loop.current == nullptr) return;
    if (traced(worker)) trace::left(worker);
    if (observed(worker)) ompt::left(worker);
}

void chunk_begins(team::Worker& worker, Span span, base::CallSite site) {
    if (observed(worker)) ompt::chunk_begins(worker, span, site);
    if (traced(worker)) trace::chunk_begins(*worker.member, span);
}

void chunk_ends(team::Worker& worker) {
    if (traced(worker)) trace::chunk_ends(worker);
}

void ordered_begins(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::ordered_begins(worker, site);
}

void ordered_entered(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::ordered_entered(worker, site);
}

void ordered_ends(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::ordered_ends(worker, site);
}

base::Ticks turn_wait_begins(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::turn_wait_begins(worker, site);
    return base::ticks();
}

void turn_wait_ends(team::Worker& worker, base::CallSite site, base::Ticks began) {
    if (traced(worker)) trace::turn_wait_ends(worker, site, began);
    if (observed(worker)) ompt::turn_wait_ends(worker);
}

void doacross_source(team::Worker& worker, IndexVector indices) {
    if (observed(worker)) ompt::doacross(worker, indices, true);
}

void doacross_sink(team::Worker& worker, IndexVector indices) {
    if (observed(worker)) ompt::doacross(worker, indices, false);
}

void single_begins(team::Worker& worker, bool executor, base::CallSite site) {
    if (observed(worker)) ompt::single_begins(worker, executor, site);
}

void single_ends(team::Worker& worker) {
    if (observed(worker)) ompt::single_ends(worker);
}

void scope_begins(team::Worker& worker, base::CallSite site) {
    if (observed(worker)) ompt::scope_begins(worker, site);
}

} // namespace teff::loop::events
