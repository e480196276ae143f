// SPDX-License-Identifier: Apache-2.0
//
// Which NUMA node a new task is at home on.
//
// Its footprint says (footprint.h): the one that the program has told of (teff_next_task_footprint
// in teff.h), or else the one that its depend clauses let guess. A task of a taskloop without
// either is at home where a static loop over the same iterations runs those in the task's middle,
// and so has touched their data first: on that member's node, if it has told of it (Member::node).
// Not if its creator is an explicit task, whose data lie elsewhere than all the team's, nor if
// there are so many tasks that the nodes' queues, which have locks, would cost more than they save.
//
// Asked only where the team's scheduler knows homes (Deferral::kByHome), of tasks without a
// priority: else no task has a home, and nothing here is called.
//
// What a thread has told is its worker's. It is for the task that comes next, of whatever kind:
// that with the next number of the worker's (Worker::task_ids).
#pragma once

#include <cstddef>

#include "sched/runnable.h"
#include "task/create.h"
#include "task/task.h"
#include "team/team.h"
#include "team/worker.h"

namespace teff::task {

// What the thread's next task touches: called several times, it adds up.
void tell_footprint(team::Worker& worker, const void* address, std::size_t bytes);

// Has anything been told of the worker's next task?
bool is_footprint_told(const team::Worker& worker);

// Of a task of this worker's current one, which has just got its number and these clauses.
sched::Home home_of(team::Worker& worker, const Task& task, const TaskClauses& clauses);

// Whose is the iteration in the middle of the part, if so many members divide the loop among
// themselves?
unsigned member_of_middle(const TaskloopPart& part, unsigned members);

inline constexpr std::uint64_t kMostPartsPerMember = 32; // of a taskloop whose tasks have homes

} // namespace teff::task
