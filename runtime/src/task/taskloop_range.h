// SPDX-License-Identifier: Apache-2.0
//
// TaskloopRange: many tasks of a taskloop that occupy a single place in a queue.
//
// If a loop has very many tasks, queueing and stealing each task separately would cost too much. So
// the first tasks are queued separately, and the rest are a single task for the scheduler: a range.
// The range runs the loop's tasks one after another in place, as its children. It splits itself in
// half whenever its worker's queue has no task left for thieves (lazy binary splitting: Tzannes,
// Caragea, Barua, Vishkin, PPoPP 2010). The split-off half is a sibling of the range, so the
// construct's task and its group count both halves. Each half ends when all the loop's tasks in it
// have ended.
//
// A range never waits, and never counts as a waiting tied task: the constraints that apply to its
// tasks are the same as for any task that runs in place. Only the thread that runs a range accesses
// it.
//
// While a probe is on, there are no ranges, because a probe has to see the creation of each task.
#pragma once

#include "task/taskloop.h"

namespace teff::task {

// The number of a loop's tasks per member that are queued separately, as in libgomp.
inline constexpr std::uint64_t kTaskloopAlone = 64;

// Makes one range of the loop's tasks from `number` on. `each`: as in Taskloop::task. Requires that
// the tasks before `number` have been created. Returns false if the remaining tasks are to be
// created one by one, too: then nothing was done.
[[nodiscard]] bool try_create_range(team::Worker& worker, const TaskConstruct& each, const TaskloopParts& parts,
                                    std::uint64_t number);

// Returns the function that the task runs: that of the loop if the task is a range.
TEFF_COLD const void* code_of(Task& task);

} // namespace teff::task
