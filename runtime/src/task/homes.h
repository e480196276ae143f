// SPDX-License-Identifier: Apache-2.0
//
// Which NUMA node a new task is at home on.
//
// The task's footprint decides (footprint.h): the footprint that the program has given
// (teff_next_task_footprint in teff.h), or else the footprint guessed from the task's depend
// clauses.
//
// A task of a taskloop may have neither. Its home is then the node of one member, if that node is
// known (Member::node): the member that would run the middle of the task's iterations in a static
// loop, and that has therefore touched their data first. Such a task has no home if its creator is
// an explicit task, whose data may lie elsewhere. Nor does it have a home if the loop has so many
// tasks that the nodes' queues, which have locks, would cost more than they save.
//
// Tasks have homes only if the team's scheduler knows homes (Deferral::kByHome), and only tasks
// without a priority have a home.
//
// The footprint that a thread has given belongs to its worker. It applies to the next task of any
// kind, which is the task with the worker's next number (Worker::task_ids).
#pragma once

#include <cstddef>

#include "sched/runnable.h"
#include "task/create.h"
#include "task/task.h"
#include "team/team.h"
#include "team/worker.h"

namespace teff::task {

// Tells which memory the thread's next task touches. The memory of several calls adds up.
void tell_footprint(team::Worker& worker, const void* address, std::size_t bytes);

// Returns true if a footprint has been given for the worker's next task.
bool is_footprint_told(const team::Worker& worker);

// Returns the home of `task`. Requires that `task` is a new task of the worker's current task, has
// just got its number, and has these clauses.
sched::Home home_of(team::Worker& worker, const Task& task, const TaskClauses& clauses);

// Returns the number of the member that gets the iteration in the middle of the part, if `members`
// members divide the loop among themselves.
unsigned member_of_middle(const TaskloopPart& part, unsigned members);

// Tasks of a taskloop have homes only if the loop has at most this many tasks per member.
inline constexpr std::uint64_t kMostPartsPerMember = 32;

} // namespace teff::task
