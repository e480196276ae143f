// SPDX-License-Identifier: Apache-2.0
//
// Dependences between sibling tasks (OpenMP 5.2, section 15.9.5), O(1) per list item.
//
// Each task that creates dependent children has a DependTable: a hash from address to the last
// writer and the readers since. Only the task's own worker touches the table, while it creates
// children; so it needs no lock. A new child gets an edge from the last writer (in), or from the
// readers since, or else the last writer (out, inout). mutexinoutset is treated as inout: its tasks
// exclude each other in the order of creation. inoutset members do not wait for each other: they
// are kept like readers of their own kind. omp_all_memory writes every address at once: its task
// waits for all before it, and all after it wait for it.
//
// A DependNode stands for one dependent task: how many predecessors it still waits for, and the
// list of its successors. It outlives the task while a table mentions it, and is counted: one
// reference for the unfinished task, one for each mention in a table.
//
// How tasks that finish meet the creators of their successors: [depend-1] and [depend-2] in
// successor_list.h. When the table fills up, entries whose tasks have all finished are dropped
// before it grows: its size follows the unfinished tasks.
#pragma once

#include "base/call_site.h"
#include "task/depend_items.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::task {

// Makes a deferred task one with dependences, before anyone learns of it.
void make_dependent(team::Worker& worker, Task& task);

// Registers `task`, not yet queued, with its parent's table. True: it has nothing to wait for;
// queue it now.
bool add_dependences(team::Worker& worker, Task& task, const DependItems& depend);

// Who waits in place for its predecessors.
struct InPlace {
    std::uint64_t task_id = 0; // an undeferred task; 0: the construct has no task, the current one waits itself
    probe::ompt::TaskRecord* sink = nullptr; // its record for a tool, or null
};

// Waits, running other tasks, until the current task's children that `depend` names have finished.
// What waits here stands in the table as a deferred task does, so the next construct finds this one
// there and not all that came before it.
void wait_for_dependences(team::Worker& worker, const DependItems& depend, const InPlace& successor,
                          base::CallSite site);

// taskwait with a depend clause.
void taskwait_depend(team::Worker& worker, const DependItems& depend, base::CallSite site);

} // namespace teff::task
