// SPDX-License-Identifier: Apache-2.0
// The tool's halves of region/events.h. Called only while a tool is attached to the worker. They
// tell the tool, and do nothing else.
#pragma once

#include "region/events.h"

namespace teff::region::events::ompt {

void region_begins(team::Worker& leader, team::Team& team, const Construct& construct);
void member_begins(team::Worker& worker, team::Team& team);
void body_begins(team::Worker& worker, void* frame);
void body_ends(team::Worker& worker);
void member_joins(team::Worker& worker, const team::Team& team);
void member_released(team::Worker& worker);
void region_ends(team::Worker& leader, team::Team& team);
void initial_task_begins(team::Worker& worker);
void initial_task_ends(team::Worker& worker);
bool tool_may_leave(const team::Worker& worker);
void tool_leaves(team::Worker& worker);
void barrier_begins(team::Worker& worker, BarrierKind kind, base::CallSite site);
void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site);
void cancellation(team::Worker& worker, int kind, bool activates, base::CallSite site);
void target_begins(team::Worker& worker, bool included, base::CallSite site);
void target_ends(team::Worker& worker);
void target_task_begins(team::Worker& worker);
void target_task_ends(team::Worker& worker);
void league_begins(team::Worker& worker, LeagueRecords& records, const League& league, base::CallSite site);
void league_ends(team::Worker& worker, LeagueRecords& records, base::CallSite site);
void team_begins(team::Worker& worker, LeagueRecords& records, const League& league);
void team_ends(team::Worker& worker, const League& league);

} // namespace teff::region::events::ompt
