// SPDX-License-Identifier: Apache-2.0
//
// If a tool is attached, the leader ends a region only when every member has notified the tool that
// the member's implicit task has ended. Until then the tool may ask a member for its region.
//
// A member that has joined waits until the leader releases it, then notifies the tool (events.h),
// and then tells the leader (linger.cpp). The leader releases the members when all members have
// joined and no task is left. It waits until all members have notified the tool, and only then
// notifies the tool of the region's end.
//
// The release increments Team::generation, as the opening of a barrier does ([barrier-1],
// [barrier-2]). The release also ends a phase: no task is left, and a member that has not begun the
// next region must not run that region's tasks.
//
// [notices-1] Team::notices_due counts the members that have yet to notify the tool. A member that
//             has notified the tool subtracts 1 (release); the leader loads the count (acquire).
#pragma once

#include "team/team.h"

namespace teff::region {

// Called by a member that has begun its implicit task and has notified the tool of the beginning.
// From then on the member has to notify the tool of the end, too.
void will_notify_tool(const team::Worker& worker, team::Team& team);

// Called by a worker that has joined. Returns true if the worker must wait for its release and then
// notify the tool.
bool has_to_notify_tool(const team::Worker& worker);
// Called by that worker after it has notified the tool.
void has_notified_tool(const team::Worker& worker);

// Called by the leader. Releases the members and waits until all of them have notified the tool.
void release_members(team::Worker& leader, team::Team& team);

} // namespace teff::region
