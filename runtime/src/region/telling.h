// SPDX-License-Identifier: Apache-2.0
//
// With a tool attached, the leader ends a region only when every member has told the tool of the end of its implicit task: the tool may ask the
// members for the region until then.
//
// A member that has joined waits until the leader releases it, tells (events.h), and says that it has (linger.cpp). The leader releases the members
// when all have joined and no task is left, waits until they have told, and only then tells of the region's end itself.
//
// The release raises Team::generation, as a barrier's opening does ([barrier-1], [barrier-2]). A phase ends with it, too: no task is left, and those
// of the next region are not for members that have not begun it.
//
// [told-1] Team::telling counts the members that have yet to tell. Each takes itself off (release) when it has told; the leader looks (acquire).
#pragma once

#include "team/team.h"

namespace teff::region {

// A member has begun its implicit task, and told the tool of that: it will have to tell of the end.
void will_tell(const team::Worker& worker, team::Team& team);

// A worker that has joined: is it to wait for its release, and to tell then?
bool has_to_tell(const team::Worker& worker);
// It has told.
void has_told(const team::Worker& worker);

// The leader. Waits.
void release_members(team::Worker& leader, team::Team& team);

} // namespace teff::region
