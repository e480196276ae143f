// SPDX-License-Identifier: Apache-2.0
//
// Sections: a loop over 1 .. count in chunks of one. Ends as loops do.
#pragma once

#include "base/call_site.h"
#include "loop/loop.h"

namespace teff::loop {

LoopRequest sections_request(unsigned count, base::CallSite site);

// The calling member meets the construct. Returns its first section, 0 for none.
unsigned sections_start(team::Worker& worker, const LoopRequest& request);
unsigned sections_next(team::Worker& worker, base::CallSite site);

// scope with task reductions: registers them as a work-sharing construct would; hands out no work.
void scope_start(team::Worker& worker, const task::WorksharingReductions& reductions, base::CallSite site);

} // namespace teff::loop
