// SPDX-License-Identifier: Apache-2.0
//
// Parallel regions: giving places in a team to workers, running the implicit tasks, the barriers in
// between, and joining them again; cancellation.
//
// The leader (the worker whose task met the construct) finds the team that hangs at its place
// (Member::inner), sets it up, hands the other places out and becomes member 0. The team and its
// workers stay together afterwards, so the next region of the same size, or of a smaller one, only
// has to hand out places again.
//
// [region-1] Handing out: the leader writes the Team, then writes the Member into each worker's
//            inbox (release); the worker takes it (acquire). Who finds the worker asleep wakes it:
//            team/inbox.h.
// [region-2] Joining: a member that has ended its implicit task adds 1 to Team::joined (release);
//            the leader that reads the full number (acquire) and finds the team quiet ends the
//            region. Until its next place arrives, a member that has joined goes on running the
//            team's tasks.
#pragma once

#include <cstdint>

#include "base/call_site.h"
#include "team/team.h"

namespace teff::region {

// What `begin` needs to know of the construct.
struct Construct {
    team::RegionBody body;
    unsigned num_threads = 0;        // the clause: 0 not given, 1 also for if(false)
    unsigned proc_bind = 0;          // omp_proc_bind_t of the clause; 0 not given
    bool program_calls_body = false; // between begin and end; else the runtime does
    unsigned sections = 0;           // parallel sections: how many; else 0
    base::CallSite site = {};
    // Called when the team is set up and before any other member starts: a combined construct
    // enters its loop here, and a door sets Team::reductions.
    void (*prepare)(team::Team& team, void* argument) = nullptr;
    void* prepare_argument = nullptr;
};

// Opens a region and makes the caller member 0 of its team; the caller then runs the body itself
// and calls `end`. Returns the team size.
unsigned begin(team::Worker& worker, const Construct& construct);

// Ends the caller's innermost region: waits for its members and all their tasks.
void end(team::Worker& worker);

// begin, the caller's part of the body, end. Returns the team size.
unsigned run(team::Worker& worker, const Construct& construct);

enum class BarrierKind : std::uint8_t {
    kExplicit,       // a barrier construct
    kImplicit,       // the end of a work-sharing construct
    kImplementation, // one that the program does not know of
};

// The team barrier, with everything that OpenMP hangs on it: waiting members run tasks, and it
// opens only when every member has arrived and no task of the team is left. Returns whether the
// region was cancelled meanwhile (then not every member may have arrived); always false unless
// `cancellable`. `met`: when it came, if a probe is on and the time is known; else 0.
bool barrier(team::Worker& worker, BarrierKind kind, bool cancellable, base::CallSite site, base::Ticks met = 0);

// As GCC passes it. Loops and sections are loop/cancel.h's, which is what the program's calls come
// to.
enum CancelKind : int { kCancelParallel = 1, kCancelLoop = 2, kCancelSections = 4, kCancelTaskgroup = 8 };

// Is the current task's region cancelled, or, for that kind, its taskgroup?
bool is_cancelled(const team::Worker& worker, int kind);

// Cancels it.
void cancel(team::Worker& worker, int kind);

// The league of teams around an initial thread: league.h.
struct League {
    unsigned teams = 1;
    unsigned number = 0; // of the team that runs now
};

// The target task around a target region: one that is included in the task that met the construct,
// or the current task, which was deferred.
enum class TargetTask : std::uint8_t { kIncluded, kDeferred };

// Within region/: a pool worker's part of a region, which is its implicit task and its arrival at
// the join; and, in a forked child, that the other threads of all regions are gone.
void take_part(team::Worker& worker, team::Member& place);
void forget_other_threads_at_work();

} // namespace teff::region
