// SPDX-License-Identifier: Apache-2.0
//
// Team: runs a program of tasks on a modelled machine.
//
// Each core that is not spare is a member. The first member creates the tasks, in their order; all
// members wait at a barrier and run tasks meanwhile. Scheduler, policy, waits and barrier are those
// of the runtime, compiled from their shipped source (sched/, region/team_protocol.h) with the
// machine's atomics. The types around them (Member, Worker, Task) and the code that runs a task are
// reduced to the minimum.
//
// A task gets its data chunk by chunk, and does a part of its arithmetic after each chunk. Its
// successors are known beforehand. When it ends, it decrements the count of predecessors of each
// successor, and makes a successor ready whose count reaches 0.
//
// If the program has a graph, its threads and tasks do the steps of the graph (walk.h). A graph
// with N threads runs on the first N cores.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "machine/events.h"
#include "machine/placed.h"

namespace teff::machine {

enum class Schedule : std::uint8_t {
    work_stealing, // the runtime's default
    central,       // the runtime's central queue
    locality,      // the runtime's queues for nodes
    round_robin,   // the runtime's stealing from one member after the other
    thesis_nodes,  // algorithms 1 and 2 of the thesis
    thesis_hops,   // the same with the steps of its published code
    thesis_tiles,  // algorithm 3
};

struct Trial {
    Schedule schedule = Schedule::work_stealing;
    Spreading spreading = Spreading::standard;
    unsigned vicinity = 1; // of thesis_tiles
    std::uint64_t seed = 1;
};

// The schedules that run graphs, with their names in TEFF_SCHEDULE. A graph's tasks name no data,
// so with locality they would run in the same way as with work stealing.
struct NamedSchedule {
    std::string_view name;
    Schedule schedule;
};
inline constexpr NamedSchedule kSchedulesOfGraphs[] = {
    {"work_stealing", Schedule::work_stealing}, {"central", Schedule::central}, {"round_robin", Schedule::round_robin}};

struct TaskRun {
    std::uint32_t core = ~0u; // ~0u: it was never run
    Time begin = 0, end = 0;
};

struct Outcome {
    bool complete = false;       // all cores came to the end
    Time makespan = 0;           // from the first creation to the end of the last task
    Time end = 0;                // when the last core had left the barrier
    std::vector<TaskRun> runs;   // of each task
    std::uint64_t transfers = 0; // of lines of the runtime's own

    // The following are set for a task graph.
    Time work = 0, creation = 0; // what the threads' time went to, summed over them
    std::uint64_t moved = 0;     // tasks that another core ran than the one that created them
    bool too_deep = false;       // more tasks were to run inside each other than there is room for
    bool lacks_stacks = false;   // there was no memory for the stacks of the cores
    std::uint64_t cache_hits = 0, cache_misses = 0;

    std::uint32_t tasks_on(std::uint32_t core) const;
};

// If there is a sink, the events are reported to it; its workers are the members, in their order.
Outcome run(const Program& program, const Description& description, const Trial& trial, Sink* sink = nullptr);
// The same for data that are already placed.
Outcome run(const Program& program, const Placed& placed, const Description& description, const Trial& trial,
            Sink* sink = nullptr);
// Runs a graph by one of its schedules. The machine must have a core for each thread of the graph.
Outcome run(TaskGraph graph, const Description& description, const Trial& trial, Sink* sink = nullptr);

// Cores that take tasks.
std::vector<std::uint32_t> cores_of(const Description& description);

} // namespace teff::machine
