// SPDX-License-Identifier: Apache-2.0
//
// Work-sharing constructs that divide blocks of the program rather than iterations: sections,
// single, scope.
//
// Sections are a loop over 1 .. count in chunks of one, and end as loops do.
//
// Single: the first member to arrive takes the construct. Each member counts the singles that it
// has met, and the team counts those that were taken. The member that moves the team's count past
// its own takes the single. The order is relaxed, as no data passes here: the barrier after the
// construct orders the data.
//
// copyprivate: the taker publishes its data and meets the others at a barrier; they waited there.
// The barrier that the compiler puts behind the construct keeps the data alive and
// Team::copyprivate unchanged until all have copied.
#pragma once

#include "base/call_site.h"
#include "loop/loop.h"
#include "team/worker.h"

namespace teff::loop {

LoopRequest sections_request(unsigned count, base::CallSite site);

// The calling member meets sections. Returns its first section, 0 for none.
unsigned sections_start(team::Worker& worker, const LoopRequest& request);
unsigned sections_next(team::Worker& worker, base::CallSite site);

// scope with task reductions: registers them as a work-sharing construct would; hands out no work.
void scope_start(team::Worker& worker, const task::WorksharingReductions& reductions, base::CallSite site);

// single: does the calling member run the body?
bool single_start(team::Worker& worker, base::CallSite site);

// copyprivate: null for the member that runs the body; the others get the data, when it has.
void* single_copy_start(team::Worker& worker, base::CallSite site);
void single_copy_end(team::Worker& worker, void* data, base::CallSite site);

} // namespace teff::loop
