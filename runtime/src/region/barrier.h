// SPDX-License-Identifier: Apache-2.0
//
// The team barrier, with everything that OpenMP hangs on it: waiting members run tasks, and it
// opens only when every member has arrived and no task of the team is left.
#pragma once

#include "base/call_site.h"
#include "region/kinds.h"
#include "team/team.h"

namespace teff::region {

// Waits. Returns whether the region was cancelled meanwhile (then not every member may have
// arrived); always false unless `cancellable`.
bool barrier(team::Worker& worker, BarrierKind kind, bool cancellable, base::CallSite site);

} // namespace teff::region
