// SPDX-License-Identifier: Apache-2.0
//
// How a pool worker waits for its next place, and how its leader sends it away.
//
// A worker that has ended its part of a region lingers in its team: it runs the team's tasks until
// its next place arrives in its inbox (team/inbox.h), and keeps to itself what it has to know of
// the region meanwhile (Worker::team_size, leader, may_spin).
//
//     takes part ──joins──> lingers ──a region without it──> aside
//         ^                    │                               │
//         └──────a place───────┴───────────────────────────────┘
//     lingers, aside ──dismissed──> outside, in no team
//
// A region may be smaller than the one before. The members beyond its size stay with the team:
// their leader neither wakes them nor waits for them, and has them when the team grows again. Such
// a member goes on lingering, and spinning, until it would sleep or is woken. Then it sees by
// Team::generation that a region has begun, goes aside, and sleeps by its inbox alone. It takes
// this step by itself, and no other thread is told.
//
// What a lingering member looks at, and why a smaller region does not disturb it: its lane, which
// nobody else gets; the Scheduler, where it refuses all tasks of a later phase ([phase-1]), and
// whose number of lanes is relaxed; has_tasks, generation and joined, of which the last does not
// come to the number in its own notes again, as the region has fewer members; the sums of all
// members' counts only if joined has. If it slept among the Sleepers when the region began, it is
// still there: sched/sleepers.h says who wakes it. It does not look at Team::size.
//
// Before a leader changes a team's arrays, or gives the workers away, it dismisses them: it asks
// them outside by their inboxes, and waits until they have answered [linger-1].
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

// Sends all members but the leader outside, between regions, and waits until they are.
void dismiss(team::Worker& dismisser, team::Team& team);

} // namespace teff::region
