// SPDX-License-Identifier: Apache-2.0
//
// How a pool worker waits for its next place, and how its leader sends it away.
//
// A worker that has ended its part of a region lingers in its team: it runs the team's tasks until
// its next place arrives in its inbox (team/inbox.h), and keeps to itself what it has to know of
// the region meanwhile (Worker::team_size, leader, may_spin). Before a leader may change what
// lingering members look at (the team's size, its arrays), it dismisses them: it asks them outside
// by their inboxes, and waits until they have answered.
#pragma once

#include "team/team.h"

namespace teff::region {

// The life of a pool thread.
void worker_main(team::Worker& worker);

void give_place(team::Worker& worker, team::Member& member);

// Ends the thread of a worker that is in no team and in no list.
void retire(team::Worker& worker);

// The same for the calling pool worker, in a forked child: its thread ends with what it does now.
void retire_after_this(team::Worker& worker);

// Sends members [from, capacity) of a team between regions outside, and waits until they are.
void dismiss(team::Worker& dismisser, team::Team& team, unsigned from);

} // namespace teff::region
