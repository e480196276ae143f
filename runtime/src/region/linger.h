// SPDX-License-Identifier: Apache-2.0
//
// Lingering: a pool worker's wait for its next place in a team (a Member record), and its dismissal
// by its leader.
//
// A worker that has ended its part of a region lingers in its team: it runs the team's tasks until
// its next place arrives in its inbox (team/inbox.h). The data of the region that it needs in the
// meantime has been copied into its own record (Worker::team_size, leader, may_spin).
//
//     takes part ──joins──> lingers ──a region without it──> aside
//         ^                    │                               │
//         └──────a place───────┴───────────────────────────────┘
//     lingers, aside ──dismissed──> outside, in no team
//
// A region may have fewer members than the region before it. The members beyond its size stay with
// the team: the leader neither wakes them nor waits for them, and uses them when the team grows
// again. Such a member keeps lingering at first. When it has ended its spinning and is about to
// sleep, or is woken from its sleep, it sees in Team::generation that a region has begun without
// it. It then stops waiting for the team's regions and sleeps at its inbox (it is *aside*), where
// only a message to it wakes it. The member takes this step by itself, without notifying any other
// thread.
//
// A smaller region does not disturb a lingering member, because the member looks only at the
// following:
//
//   - its lane, which belongs to no other thread;
//   - the Scheduler: the member refuses all tasks of a later phase there ([phase-1]), and reads the
//     number of lanes relaxed;
//   - has_tasks, generation and joined: `joined` does not reach the number in the member's own
//     notes again, because the region has fewer members;
//   - the sums of all members' counts, but only if `joined` has reached that number.
//
// The member does not look at Team::size. A member that slept among the Sleepers when the region
// began is still among them; sched/sleepers.h says which thread wakes it.
//
// Before a leader changes a team's arrays or gives the workers away, it dismisses the workers: it
// asks the workers, through their inboxes, to leave the team (to go outside), and waits until all
// of them have answered [linger-1].
#pragma once

#include "team/team.h"

namespace teff::region {

// The main function of a pool thread. Returns when the thread is retired.
void worker_main(team::Worker& worker);

void give_place(team::Worker& worker, team::Member& member);

// Ends the thread of `worker`. Requires that the worker is in no team and in no list.
void retire(team::Worker& worker);

// Called by a pool worker in a forked child. Makes the calling thread end when its current work is
// done.
void retire_after_this(team::Worker& worker);

// Sends all members but the leader outside and waits until they are outside. Called between
// regions.
void dismiss(team::Worker& dismisser, team::Team& team);

} // namespace teff::region
