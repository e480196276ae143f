// SPDX-License-Identifier: Apache-2.0
//
// Leagues of teams, and initial tasks inside other tasks: the implementation of the target and
// teams constructs on the host.
//
// The teams of a league run one after the other on the thread that met the construct. Each team may
// open parallel regions of its own. A target region runs as the initial task of a team of one,
// which is separate from the team of the thread that met the construct.
//
// A league lives on the stack of `run_league` or `run_initial_task`. Every thread of the league's
// teams finds the league through the initial team at level 0, whose Team::body holds the construct
// that the team runs. An initial team has no other use for that field.
#pragma once

#include "base/call_site.h"
#include "region/region.h"
#include "team/team.h"

namespace teff::region {

// Returns the league that `member` is in. Outside any league, returns a league of one team.
const League& league_of(const team::Member& member);

// For teams: runs `body` once for each team. A thread limit of 0 changes nothing.
void run_league(team::Worker& worker, team::RegionBody body, unsigned teams, unsigned thread_limit,
                base::CallSite site);

// For target: runs `body` as an initial task in a team of its own, and waits for all its tasks.
void run_initial_task(team::Worker& worker, team::RegionBody body, unsigned thread_limit, TargetTask target_task,
                      base::CallSite site);

// For teams inside target, where the program's code loops over the teams. begin_league begins the
// first of `teams` teams. next_team begins the next team, or returns false if no team is left.
void begin_league(team::Worker& worker, unsigned teams, unsigned thread_limit);
bool next_team(team::Worker& worker);

} // namespace teff::region
