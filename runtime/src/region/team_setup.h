// SPDX-License-Identifier: Apache-2.0
//
// Making and changing teams: the work on teams that is not needed for every region.
#pragma once

#include "region/region.h"

namespace teff::region {

// Returns the number of threads that the construct requests (OpenMP 5.2, section 10.1.1), before
// the limit of its contention group is applied.
unsigned resolve_team_size(const team::Team& outer, const icv::TaskIcvs& icvs, const Construct& construct);

// Returns the team that `place` leads, with `size` members that have workers. The team has fewer
// members, and one warning is printed, if threads cannot be started: Team::size holds the result.
// The other fields of the Team are as the last region left them.
team::Team& team_of_size(team::Worker& leader, team::Member& place, unsigned size);

// Makes a team of one at level 0, with its initial task. Called for a thread that was in no team,
// or for a target region, whose thread had `place_left` before.
void enter_root_team(team::Worker& worker, team::Member* place_left = nullptr);
// Called when the thread, or the target region, ends. Gives the workers of its teams back to the
// pool.
void leave_root_team(team::Worker& worker);

// Ends the pool's threads that work for no other thread: the threads of the teams that `worker`
// leads, and the threads without a team. Called outside regions.
void release_threads(team::Worker& worker);

// Ends pool threads that are in no team: those that were started for the teams of `initial`, or all
// if `initial` is null.
void release_idle_threads(const team::Worker* initial);

// Fills in the implicit task of `member` at the beginning of a region.
void begin_implicit_task(team::Worker& worker, team::Member& member, const icv::TaskIcvs& icvs, task::Taskgroup* group);

// Releases the memory that an implicit task has allocated, after the task has ended on its worker.
void end_implicit_task(team::Worker& worker, task::Task& task);

// Copies into the worker the data of its innermost region that it needs while it lingers after the
// region.
void remember_team(team::Worker& worker, const team::Team& team);

} // namespace teff::region
