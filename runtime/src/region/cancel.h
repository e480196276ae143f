// SPDX-License-Identifier: Apache-2.0
//
// Cancellation (OpenMP 5.2, section 11.2): of the region, of a work-sharing construct, of a taskgroup. Only in processes with
// OMP_CANCELLATION=true. The flags lie with what is cancelled: Team::cancelled, Team::workshare_cancelled, Taskgroup::cancelled.
#pragma once

#include "base/call_site.h"
#include "team/team.h"

namespace teff::region {

// As GCC passes it.
enum CancelKind : int { kCancelParallel = 1, kCancelLoop = 2, kCancelSections = 4, kCancelTaskgroup = 8 };

// Is the innermost construct of this kind cancelled? A cancellation point.
bool cancellation_point(team::Worker& worker, int kind, base::CallSite site);

// Cancels it. True if the caller is to leave the construct.
bool cancel(team::Worker& worker, int kind, base::CallSite site);

} // namespace teff::region
