// SPDX-License-Identifier: Apache-2.0
//
// Parallel regions: gives workers their places in a team, and runs the implicit tasks, the barriers
// within a region, the join at the region's end, and cancellation.
//
// A place in a team is a Member record; it has nothing to do with OpenMP's places. The leader is
// the worker whose task met the construct. The leader takes the team that its own Member record
// names (Member::inner), sets the team up, hands out the other places, and becomes member 0. The
// team and its workers stay together after the region. So for a next region of the same or a
// smaller size, the leader only has to hand out places again.
//
// [region-1] Handing out: the leader writes the Team, then writes the Member into each worker's
//            inbox (release). The worker takes the Member (acquire). A writer that finds the worker
//            asleep wakes it: team/inbox.h.
// [region-2] Joining: a member that has ended its implicit task adds 1 to Team::joined (release).
//            The leader ends the region when it has read the full number (acquire) and finds the
//            team quiet. A member that has joined continues to run the team's tasks until its next
//            place arrives.
#pragma once

#include <cstdint>

#include "base/call_site.h"
#include "team/team.h"

namespace teff::region {

// The properties of the construct that `begin` needs.
struct Construct {
    team::RegionBody body;
    const void* code = nullptr;      // the program's function that body.function runs; null: it is body.function
    unsigned num_threads = 0;        // the clause's value; 0: no clause; 1 also for if(false)
    unsigned proc_bind = 0;          // the clause's omp_proc_bind_t; 0: no clause
    bool program_calls_body = false; // true: the program calls the body, between begin and end;
                                     // false: the runtime calls it
    unsigned sections = 0;           // parallel sections: the number of sections; otherwise 0
    base::CallSite site = {};
    // Called when the team is set up and before any other member starts. A combined construct
    // enters its loop here; an entry point of the compiler's interface sets Team::reductions here.
    void (*prepare)(team::Team& team, void* argument) = nullptr;
    void* prepare_argument = nullptr;
};

// Returns the program's function that the region runs; null if the program runs it itself.
inline const void* code_of(const Construct& construct) {
    return construct.code != nullptr ? construct.code : reinterpret_cast<const void*>(construct.body.function);
}

// Opens a region and makes the caller member 0 of its team; the caller then runs the body itself
// and calls `end`. Returns the team size.
unsigned begin(team::Worker& worker, const Construct& construct);

// Ends the caller's innermost region: waits for its members and all their tasks.
void end(team::Worker& worker);

// Calls `begin`, runs the caller's part of the body, and calls `end`. Returns the team size.
unsigned run(team::Worker& worker, const Construct& construct);

enum class BarrierKind : std::uint8_t {
    kExplicit,       // a barrier construct
    kImplicit,       // the end of a work-sharing construct
    kImplementation, // a barrier that is not in the program
};

// The team barrier as OpenMP specifies it: waiting members run tasks, and the barrier opens only
// when every member has arrived and no task of the team is left. Returns true if `cancellable` and
// the region was cancelled during the wait; in that case some members may not have arrived. `met`
// is the time at which the member met the barrier, if a probe is on and the time is known;
// otherwise 0.
bool barrier(team::Worker& worker, BarrierKind kind, bool cancellable, base::CallSite site, base::Ticks met = 0);

// The values are those that GCC passes. The program's calls for loops and sections are handled in
// loop/cancel.h.
enum CancelKind : int { kCancelParallel = 1, kCancelLoop = 2, kCancelSections = 4, kCancelTaskgroup = 8 };

// Returns true if the current task's region is cancelled. For kCancelTaskgroup, also returns true
// if the task's taskgroup is cancelled.
bool is_cancelled(const team::Worker& worker, int kind);

// Cancels the current task's region, or, for kCancelTaskgroup, its taskgroup.
void cancel(team::Worker& worker, int kind);

// The league of teams around an initial thread: league.h.
struct League {
    unsigned teams = 1;
    unsigned number = 0; // number of the team that runs now
};

// How the target task of a target region runs: included in the task that met the construct, or
// deferred (in which case it is the current task).
enum class TargetTask : std::uint8_t { kIncluded, kDeferred };

// Used within region/ only. take_part runs a pool worker's part of a region: its implicit task and
// its arrival at the join. forget_other_threads_at_work is called in a forked child, which has none
// of the other threads of its regions.
void take_part(team::Worker& worker, team::Member& place);
void forget_other_threads_at_work();

} // namespace teff::region
