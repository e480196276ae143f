// SPDX-License-Identifier: Apache-2.0
//
// Cancellation of the region and of a taskgroup. loop/cancel.h has the whole, and is what the
// program's calls come to.
#pragma once

#include "team/team.h"

namespace teff::region {

// As GCC passes it.
enum CancelKind : int { kCancelParallel = 1, kCancelLoop = 2, kCancelSections = 4, kCancelTaskgroup = 8 };

// Is the current task's region cancelled, or, for that kind, its taskgroup?
bool is_cancelled(const team::Worker& worker, int kind);

// Cancels it.
void cancel(team::Worker& worker, int kind);

} // namespace teff::region
