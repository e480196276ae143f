// SPDX-License-Identifier: Apache-2.0
// The parts of fork and join that lingering workers and leaders share.
#pragma once

#include "team/team.h"

namespace teff::region {

// A pool worker's part of a region: its implicit task, and its arrival at the join.
void take_part(team::Worker& worker, team::Member& place);

// If the leader sleeps at the join, every member has joined and the team is quiet: wakes it. For a member about to sleep, after its
// read-modify-write ([quiet-1]).
void wake_leader_if_quiet(team::Worker& worker, team::Team& team);

// In a forked child: the other threads of all regions are gone.
void forget_other_threads_at_work();

} // namespace teff::region
