// SPDX-License-Identifier: Apache-2.0
// The records of teams and implicit tasks for a tool (probe/ompt/records.h): made at their first
// use, kept with the team.
#pragma once

#include "probe/ompt/records.h"
#include "team/team.h"

namespace teff::team {

// By the leader.
probe::ompt::ParallelRecord& parallel_record(Team& team);

// By the member's own thread.
probe::ompt::TaskRecord& task_record(Member& member);

} // namespace teff::team
