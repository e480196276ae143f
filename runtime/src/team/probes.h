// SPDX-License-Identifier: Apache-2.0
//
// Which sinks (probe/probes.h) a worker's events go to: settled when its thread begins to take part
// in OpenMP. And what a tool keeps of teams and implicit tasks.
#pragma once

#include "base/clock.h"
#include "probe/probes.h"
#include "team/worker.h"

namespace teff::probe::ompt {
struct ParallelRecord;
}

namespace teff::team {

struct Team;

// Does this sink get the worker's events?
inline bool traced(const Worker& worker) { return (worker.probes & probe::kTrace) != 0; }
inline bool observed(const Worker& worker) { return (worker.probes & probe::kOmpt) != 0; }
inline bool counted(const Worker& worker) { return (worker.probes & probe::kStat) != 0; }

// Does the recording alone get them? Do the counters, with or without times? And without?
inline bool only_traced(const Worker& worker) { return worker.probes == probe::kTrace; }
inline bool only_counted(const Worker& worker) { return (worker.probes & ~(probe::kStat | probe::kTimes)) == 0; }
inline bool only_counted_untimed(const Worker& worker) { return worker.probes == probe::kStat; }

// Does any sink want to know when the worker's events happen?
inline bool times_matter(const Worker& worker) { return (worker.probes & ~probe::kStat) != 0; }

// Now, for an event; just not 0 where nobody wants to know.
inline base::Ticks event_ticks(const Worker& worker) { return times_matter(worker) ? base::ticks() : 1; }

// A construct is met, maybe outside of parallel regions, where no member has begun since a library
// may have been unloaded (Stream::doubt_sites). Its sites are looked up next.
void prepare_sites(const Worker& worker);

// By the worker's own thread, before its first event. `of_program`: the program has started the
// thread, not the runtime.
void attach_probes(Worker& worker, bool of_program);

// By the worker's own thread, after its last event.
void detach_probes(Worker& worker);

// A tool does not hear of the worker any more. By the worker's own thread, between regions.
inline void leave_tool(Worker& worker) { worker.probes &= static_cast<std::uint8_t>(~probe::kOmpt); }

// Before a fork, by its thread: what begin_probes_anew will have to know.
void note_fork(Worker& worker);

// In a forked child, whose tool is its parent's. It may have a recording of its own, which begins
// with the next event. What the worker runs now, `task`, counts from the fork there.
void begin_probes_anew(Worker& worker, std::uint64_t task);

// The records of a team and of an implicit task for a tool (probe/ompt/records.h): made at their
// first use, kept with the team. By the leader; by the member's own thread.
probe::ompt::ParallelRecord& parallel_record(Team& team);
probe::ompt::TaskRecord& task_record(Member& member);

} // namespace teff::team
