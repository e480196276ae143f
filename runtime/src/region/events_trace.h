// SPDX-License-Identifier: Apache-2.0
// The recorder's halves of region/events.h. Called only while the worker has a stream. They append
// records, and do nothing else.
#pragma once

#include "region/events.h"

namespace teff::region::events::trace {

void region_begins(team::Worker& leader, team::Team& team, const Construct& construct, unsigned requested);
void member_begins(team::Worker& worker, const team::Team& team, base::Ticks now);
void member_joins(team::Worker& worker, const team::Team& team, base::Ticks began);
void region_ends(team::Worker& leader, const team::Team& team, base::Ticks joined);
void initial_task_begins(team::Worker& worker);
void initial_task_ends(team::Worker& worker);
void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site, base::Ticks began,
                  std::uint32_t ordinal);

// The initial task of a target region. One that was deferred has a record already, as the target
// task that it runs in: there they count as one.
void included_target_begins(team::Worker& worker, const task::Task& outer, base::CallSite site, base::Ticks now);
void included_target_ends(team::Worker& worker, base::Ticks began);
void deferred_target_begins(team::Worker& worker, const task::Task& target_task);

} // namespace teff::region::events::trace
