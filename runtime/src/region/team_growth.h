// SPDX-License-Identifier: Apache-2.0
//
// Memory and threads for teams, and the behaviour when memory or threads run out.
//
// A team grows in steps, and memory for a member is allocated only when the member's thread is
// about to start. So even an absurd number of threads (OMP_NUM_THREADS=2000000000) costs only the
// memory of the threads that could be started. If a record, an array, a stack or a thread cannot be
// allocated, the team stays as large as it is, and the process prints one warning. If there is no
// memory for the leader's own record, the region cannot run, and the process ends with an error.
//
// The leader calls these functions, between regions. Teams and members are never freed: see
// team/team.h.
#pragma once

#include "team/team.h"

namespace teff::region {

// Returns a team without a leader, or a new team. The team has space at least for its leader. A new
// team has space for `size` members if enough memory is available.
team::Team& take_team(unsigned size);

// Puts `team` into the list of teams without a leader. Requires that all of its workers are back in
// the pool.
void keep_team(team::Team& team);

// Called in a forked child. Replaces the lock of that list, because its holder may no longer exist.
void forget_other_threads_teams();

// Sets the counts of created and finished tasks to zero. Called when the members of the next region
// are not those of the last, because the counts agree only in the sum over all members that took
// part. Also resets Team::has_tasks and the groups. Called between regions, when no thread changes
// the counts.
void reset_counts(team::Team& team);

// Resets the members' groups of a combining barrier: no member has arrived, and the groups' phase
// is the team's phase. Called between regions, or when the other members no longer exist.
void reset_groups(team::Team& team);

// Gives workers to members until `size` members have one, or until no more workers can be created.
// Afterwards Team::staffed is the number of members that have a worker.
TEFF_COLD void grow(team::Worker& leader, team::Team& team, unsigned size);

} // namespace teff::region
