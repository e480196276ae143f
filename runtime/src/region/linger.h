// SPDX-License-Identifier: Apache-2.0
//
// How a pool worker waits for its next place, and how its leader sends it away.
//
// Worker::inbox:  null ──> asleep ──> null       the worker, around its sleep
//                 null or asleep ──> a Member    whoever gives it a place (exchange; wakes it if it was asleep) [region-1]
//                 a Member ──> null              the worker takes the place; a plain store, since no one gives it another before it has joined
//                                                or answered that it is outside, which tells the giver of the store
//                 null or asleep ──> home        whoever wants a thread without a team to end (send_home)
//
// A worker that has ended its part of a region lingers in its team: it runs the team's tasks until its next place arrives, and keeps to itself
// what it has to know of the region meanwhile (Worker::team_size, leader, may_spin). Before a
// leader may change what lingering members look at (the team's size, its arrays), it dismisses them: it sends the place `outside`, and waits
// until they have answered by Worker::outside ([linger-1], release by the worker, acquire by the leader).
#pragma once

#include "team/team.h"

namespace teff::region {

// The life of a pool thread.
void worker_main(team::Worker& worker);

void give_place(team::Worker& worker, team::Member& member);

// Ends the thread of a worker that is in no team and in no list.
void send_home(team::Worker& worker);

// The same for the calling pool worker, in a forked child: its thread ends with what it does now.
void go_home_after_this(team::Worker& worker);

// Sends members [from, capacity) of a team between regions outside, and waits until they are.
void dismiss(team::Worker& dismisser, team::Team& team, unsigned from);

} // namespace teff::region
