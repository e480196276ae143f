// SPDX-License-Identifier: Apache-2.0
//
// Work-sharing constructs that divide blocks of the program rather than iterations: sections,
// single, scope.
//
// Sections are a loop over 1 .. count in chunks of one, and end as loops do.
//
// Single: the first member to arrive takes the construct. Each member counts the singles that it
// has met, and the team counts the singles that were taken. The member that increases the team's
// count beyond its own count takes the single. The order is relaxed, because no data passes here:
// the barrier after the construct orders the data.
//
// copyprivate: the other members wait at a barrier. The member that took the single publishes its
// data and then arrives at this barrier, too. The compiler puts a second barrier after the
// construct. Until all members have copied, this second barrier keeps the data alive and
// Team::copyprivate unchanged.
#pragma once

#include "base/call_site.h"
#include "loop/loop.h"
#include "team/worker.h"

namespace teff::loop {

// Returns the request for a construct of `count` sections.
LoopRequest sections_request(unsigned count, base::CallSite site);

// sections_start is called when the calling member meets sections, and sections_next when it asks
// for another section. Both return the number of the member's next section, from 1, or 0 if there
// is none.
unsigned sections_start(team::Worker& worker, const LoopRequest& request);
unsigned sections_next(team::Worker& worker, base::CallSite site);

// Registers task reductions as a work-sharing construct does, and hands out no work.
// share_reductions is for a construct that is not known here; scope_start is for scope.
void share_reductions(team::Worker& worker, const task::WorksharingReductions& reductions);
void scope_start(team::Worker& worker, const task::WorksharingReductions& reductions, base::CallSite site);

// single: returns true if the calling member runs the body.
bool single_start(team::Worker& worker, base::CallSite site);

// copyprivate: single_copy_start returns null to the member that runs the body. For the others it
// waits until this member has called single_copy_end, and returns the `data` passed there.
void* single_copy_start(team::Worker& worker, base::CallSite site);
void single_copy_end(team::Worker& worker, void* data, base::CallSite site);

} // namespace teff::loop
