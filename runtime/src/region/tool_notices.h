// SPDX-License-Identifier: Apache-2.0
//
// With a tool attached, the leader ends a region only when every member has notified the tool of
// the end of its implicit task: the tool may ask the members for the region until then.
//
// A member that has joined waits until the leader releases it, notifies the tool (events.h), and
// says that it has (linger.cpp). The leader releases the members when all have joined and no task
// is left, waits until they have notified it, and only then notifies it of the region's end itself.
//
// The release raises Team::generation, as a barrier's opening does ([barrier-1], [barrier-2]). This
// also ends a phase: no task is left, and a member that has not begun the next region may not run
// that region's tasks.
//
// [notices-1] Team::notices_due counts the members that have yet to notify the tool. Each takes
//             itself off (release) when it has; the leader looks (acquire).
#pragma once

#include "team/team.h"

namespace teff::region {

// A member has begun its implicit task and notified the tool of that: it will have to notify it of
// the end, too.
void will_notify_tool(const team::Worker& worker, team::Team& team);

// A worker that has joined: is it to wait for its release, and to notify the tool then?
bool has_to_notify_tool(const team::Worker& worker);
// It has done so.
void has_notified_tool(const team::Worker& worker);

// The leader. Waits.
void release_members(team::Worker& leader, team::Team& team);

} // namespace teff::region
