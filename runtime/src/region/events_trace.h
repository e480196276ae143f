// SPDX-License-Identifier: Apache-2.0
// The recorder's halves of region/events.h. Called only while the worker has a stream.
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
void target_task_begins(team::Worker& worker, const task::Task& outer, base::CallSite site, base::Ticks now);
void target_task_ends(team::Worker& worker, base::Ticks began);

} // namespace teff::region::events::trace
