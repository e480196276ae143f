// SPDX-License-Identifier: Apache-2.0
//
// Single: the first member to arrive takes the construct. Each member counts the singles that it
// has met, the team those that were taken; who moves the team's count past its own takes it.
// Relaxed: no data passes here, the barrier behind the construct does that.
//
// copyprivate: the taker publishes its data and meets the others at a barrier; they waited there.
// The barrier that the compiler puts behind the construct keeps the data alive and
// Team::copyprivate unchanged until all have copied.
#pragma once

#include "base/call_site.h"
#include "team/worker.h"

namespace teff::loop {

// Does the calling member run the body?
bool single_start(team::Worker& worker, base::CallSite site);

// copyprivate: null for the member that runs the body; the others get the data, when it has.
void* single_copy_start(team::Worker& worker, base::CallSite site);
void single_copy_end(team::Worker& worker, void* data, base::CallSite site);

} // namespace teff::loop
