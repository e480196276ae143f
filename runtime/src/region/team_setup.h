// SPDX-License-Identifier: Apache-2.0
//
// Making and changing teams: everything about them that need not happen for every region.
#pragma once

#include "region/region.h"

namespace teff::region {

// How many threads the construct gets (OpenMP 5.2, section 10.1.1), as far as the limit of its
// contention group leaves them.
unsigned resolve_team_size(const team::Team& outer, const icv::TaskIcvs& icvs, const Construct& construct);

// The team that `place` leads, with at least `size` members that have workers: fewer, with one
// warning, if threads cannot be started. The result's `size` is what came of it; the rest of the
// Team is as the last region left it.
team::Team& team_of_size(team::Worker& leader, team::Member& place, unsigned size);

// A team of one at level 0, with its initial task: for a thread that was in no team, or, for a
// target region, had `place_left`.
void enter_root_team(team::Worker& worker, team::Member* place_left = nullptr);
// The thread, or the target region, ends: its teams' workers go back to the pool.
void leave_root_team(team::Worker& worker);

// Ends the pool's threads, as far as they work for no other thread: those of the teams that the
// worker leads, and those without a team. To be called outside regions.
void release_threads(team::Worker& worker);

// Ends those of the pool's threads without a team that are more than `leave`.
void release_idle_threads(unsigned leave);

// Fills in the implicit task of `member` for a region that begins.
void begin_implicit_task(team::Worker& worker, team::Member& member, const icv::TaskIcvs& icvs, task::Taskgroup* group);

// An implicit task is over on its worker, and gives back what it has.
void end_implicit_task(team::Worker& worker, task::Task& task);

// Notes in the worker what it has to know of its innermost region when it lingers after it.
void remember_team(team::Worker& worker, const team::Team& team);

} // namespace teff::region
