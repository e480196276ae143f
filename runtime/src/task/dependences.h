// SPDX-License-Identifier: Apache-2.0
//
// Dependences between sibling tasks (OpenMP 5.2, section 15.9.5). The cost is O(1) per list item.
//
// Each task that creates dependent children has a DependTable: a hash table from an address to the
// last writer and the readers since then. Only the task's own worker accesses the table, while the
// task creates children; so the table needs no lock. A new child with `in` gets an edge from the
// last writer. A new child with `out` or `inout` gets edges from the readers since the last writer,
// or from the last writer if there are no readers. mutexinoutset is treated as inout: its tasks
// exclude each other in the order of creation. Members of an inoutset do not wait for each other:
// they are kept like readers, but as a separate kind. omp_all_memory writes every address at once:
// its task waits for all tasks before it, and all tasks after it wait for it.
//
// A DependNode stands for one dependent task. The node holds the number of predecessors that the
// task still waits for, and the list of the task's successors. The node may outlive the task,
// because it exists as long as a table refers to it. Its reference count has one reference for the
// unfinished task, and one reference for all tables together that refer to the node.
//
// [depend-1] and [depend-2] in successor_list.h say how finishing tasks and the creators of their
//            successors synchronise.
//
// Before a full table grows, entries whose tasks have all finished are dropped, so the table's size
// follows the number of unfinished tasks.
#pragma once

#include "base/call_site.h"
#include "task/depend_items.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::task {

// Gives a deferred task its DependNode. Requires that no other worker knows the task yet.
void make_dependent(team::Worker& worker, Task& task);

// Registers `task` with its parent's table. Requires that `task` is not queued yet. Returns true if
// the task need not wait for any task: the caller queues it now.
bool add_dependences(team::Worker& worker, Task& task, const DependItems& depend);

// The task that waits in place for its predecessors.
struct InPlace {
    std::uint64_t task_id = 0;               // the undeferred task; 0: the current task waits itself
    probe::ompt::TaskRecord* sink = nullptr; // the task's record for a tool, or null
};

// Waits, running other tasks, until the children of the current task that `depend` names have
// finished. The waiting task is entered in the table like a deferred task. So the next construct
// finds only this entry in the table, instead of all earlier entries.
void wait_for_dependences(team::Worker& worker, const DependItems& depend, const InPlace& successor,
                          base::CallSite site);

// taskwait with a depend clause: waits as wait_for_dependences does, without a task.
void taskwait_depend(team::Worker& worker, const DependItems& depend, base::CallSite site);

} // namespace teff::task
