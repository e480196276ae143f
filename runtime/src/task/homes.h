// SPDX-License-Identifier: Apache-2.0
//
// Which NUMA node a new task is at home on.
//
// The task's footprint decides (footprint.h): the one that the program has given
// (teff_next_task_footprint in teff.h), or else the one guessed from its depend clauses. For a task
// of a taskloop without either, the home is the node of the member that would run the middle of the
// task's iterations in a static loop, and that so has touched their data first, if that node is
// known (Member::node). Such a task has no home if its creator is an explicit task, whose data may
// lie elsewhere, or if there are so many tasks that the nodes' queues, which have locks, would cost
// more than they save.
//
// These are called only if the team's scheduler knows homes (Deferral::kByHome), for tasks without
// a priority. Otherwise no task has a home.
//
// The footprint that a thread has given belongs to its worker. It is for the next task of any kind,
// the one with the worker's next number (Worker::task_ids).
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
