// SPDX-License-Identifier: Apache-2.0
//
// Where teams get their memory and their threads, and what they make do with when there is too
// little of either.
//
// A team grows in steps, and memory for a member is taken only when its thread is about to start.
// So a number of threads that no machine has (OMP_NUM_THREADS=2000000000) costs only what the
// threads that could be started need. If a record, an array, a stack or a thread cannot be
// allocated, the team stays as large as it is, and the process prints one warning. Only if there is
// no memory for the leader's own record the region cannot run: that is fatal.
//
// The leader calls these, between regions. Teams and members are never freed: see team/team.h.
#pragma once

#include "team/team.h"

namespace teff::region {

// A team from among those that lost their leader, or a new one; with space for its leader at least,
// and, if it is new, for `size` members if that is possible.
team::Team& take_team(unsigned size);

// The team of a leader that is gone; all of its workers are back in the pool.
void keep_team(team::Team& team);

// In a forked child: whoever held the list's lock is gone.
void forget_other_threads_teams();

// Others than in the last region are to take part: the counts of created and finished tasks, which
// add up only over all members that took part, start from zero. Between regions, so nobody counts
// now.
void reset_counts(team::Team& team);

// Its members' groups, for a combining barrier: nobody has arrived, and the phase is the team's.
// Between regions; or when the other members are gone.
void reset_groups(team::Team& team);

// Gives members a worker until `size` of them have one, or no more can be created. Team::staffed
// says how many there are.
TEFF_COLD void grow(team::Worker& leader, team::Team& team, unsigned size);

} // namespace teff::region
