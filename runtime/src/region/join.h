// SPDX-License-Identifier: Apache-2.0
// The parts of fork and join that lingering workers and leaders share.
#pragma once

#include "team/team.h"

namespace teff::region {

// A pool worker's part of a region: its implicit task, and its arrival at the join.
void take_part(team::Worker& worker, team::Member& place);

// In a forked child: the other threads of all regions are gone.
void forget_other_threads_at_work();

} // namespace teff::region
