// SPDX-License-Identifier: Apache-2.0
//
// Chooses the NUMA node that is the home of a new task.
//
// The choice follows from the task's footprint (footprint.h). The program gives the footprint
// (teff_next_task_footprint in teff.h). If it does not, the footprint is estimated from the task's
// depend clauses.
//
// A task of a taskloop may have no footprint. Its home is then the node of one member, if that node
// is known (Member::node): the member that would run the middle of the task's iterations in a
// static loop, and that has therefore touched their data first. There are two exceptions, in which
// such a task has no home: if its creator is an explicit task, because its data may lie elsewhere;
// and if the loop has so many tasks that the locks of the nodes' queues would cost more than the
// homes save.
//
// Tasks have homes only if the team's scheduler knows homes (Deferral::kByHome), and only tasks
// without a priority have a home.
//
// If a thread states a footprint, the footprint is stored in the thread's worker. It applies to the
// next task of any kind that the worker creates, identified by the worker's next task number
// (Worker::task_ids).
#pragma once

#include <cstddef>

#include "sched/runnable.h"
#include "task/create.h"
#include "task/task.h"
#include "team/team.h"
#include "team/worker.h"

namespace teff::task {

// Gives the memory that the thread's next task touches. The memory of several calls adds up.
void tell_footprint(team::Worker& worker, const void* address, std::size_t bytes);

// Returns true if a footprint has been given for the worker's next task.
bool is_footprint_told(const team::Worker& worker);

// Returns the home of `task`. Requires that `task` is a new task of the worker's current task with
// these clauses, and has just got its number.
sched::Home home_of(team::Worker& worker, const Task& task, const TaskClauses& clauses);

// Returns the number of the member that gets the iteration in the middle of the part, if `members`
// members divide the loop among themselves.
unsigned member_of_middle(const TaskloopPart& part, unsigned members);

// Tasks of a taskloop have homes only if the loop has at most this many tasks per member.
inline constexpr std::uint64_t kMostPartsPerMember = 32;

} // namespace teff::task
