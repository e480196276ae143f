// SPDX-License-Identifier: Apache-2.0
//
// Decides which sinks (probe/probes.h) get a worker's events. The decision is made when the
// worker's thread begins to take part in OpenMP. This file also has the records that a tool keeps
// of teams and implicit tasks.
#pragma once

#include "base/clock.h"
#include "probe/probes.h"
#include "team/worker.h"

namespace teff::probe::ompt {
struct ParallelRecord;
}

namespace teff::team {

struct Team;

// Returns true if this sink (the recording, a tool, the counters) gets the worker's events.
inline bool traced(const Worker& worker) { return (worker.probes & probe::kTrace) != 0; }
inline bool observed(const Worker& worker) { return (worker.probes & probe::kOmpt) != 0; }
inline bool counted(const Worker& worker) { return (worker.probes & probe::kStat) != 0; }

// Returns true if the recording counts events in each fragment of the worker's tasks.
inline bool counts_fragments(const Worker& worker) { return (worker.probes & probe::kFragments) != 0; }

// Returns true if a tool gets the worker's events, or fragments are counted: one test for both.
inline bool observed_or_counts_fragments(const Worker& worker) {
    return (worker.probes & (probe::kOmpt | probe::kFragments)) != 0;
}

// only_traced: only the recording gets the events. only_counted: only the counters do, with or
// without times. only_counted_untimed: only the counters do, without times.
inline bool only_traced(const Worker& worker) { return worker.probes == probe::kTrace; }
inline bool only_counted(const Worker& worker) { return (worker.probes & ~(probe::kStat | probe::kTimes)) == 0; }
inline bool only_counted_untimed(const Worker& worker) { return worker.probes == probe::kStat; }

// Returns true if any sink needs the times of the worker's events.
inline bool times_matter(const Worker& worker) { return (worker.probes & ~probe::kStat) != 0; }

// Returns the current time for an event, or 1 (any value but 0) if no sink needs the time.
inline base::Ticks event_ticks(const Worker& worker) { return times_matter(worker) ? base::ticks() : 1; }

// Returns the end of a wait that began at `began` and is over now, for its record. If the window
// has ended meanwhile, the wait is recorded until the window's end. Returns 0 if the wait is not
// recorded. `began` may be a result of event_ticks.
base::Ticks end_of_cut_wait(const Worker& worker, base::Ticks began);
inline base::Ticks recorded_until(const Worker& worker, base::Ticks began) {
    return TEFF_LIKELY(traced(worker)) ? base::ticks() : end_of_cut_wait(worker, began);
}

// Called when a construct is met, before its sites are looked up. Outside of parallel regions, a
// library may have been unloaded since a member last began; in this case the stream's known sites
// are checked again (Stream::doubt_sites).
void prepare_sites(const Worker& worker);

// Called by the worker's own thread before its first event. `of_program`: the thread was started by
// the program, not by the runtime.
void attach_probes(Worker& worker, bool of_program);

// Called by the worker's own thread after its last event.
void detach_probes(Worker& worker);

// join_window: from here on the worker is recorded, if a window is on. `initial_task`: the id of
// its current task if that is outside of all regions, and counts as begun now; otherwise 0.
// leave_window: from here on the worker is not recorded. Both are called by the worker's own
// thread, outside of all regions that are recorded.
void join_window(Worker& worker, std::uint64_t initial_task);
void leave_window(Worker& worker);

// From here on the tool gets no events of the worker. Called by the worker's own thread, between
// regions.
inline void leave_tool(Worker& worker) { worker.probes.remove(probe::kOmpt); }

// Called before a fork by the forking thread. Stores the data that begin_probes_anew needs.
void note_fork(Worker& worker);

// Called in a forked child. The tool stays with the parent. The child may have a recording of its
// own, which begins with the next event. In that recording, the worker's current task `task` counts
// as beginning at the fork.
void begin_probes_anew(Worker& worker, std::uint64_t task);

// Return the tool's record of a team or of an implicit task (probe/ompt/records.h). A record is
// made at its first use and kept with the team. parallel_record is called by the leader,
// task_record by the member's own thread.
probe::ompt::ParallelRecord& parallel_record(Team& team);
probe::ompt::TaskRecord& task_record(Member& member);

} // namespace teff::team
