// SPDX-License-Identifier: Apache-2.0
//
// TaskloopRange: many tasks of a taskloop that take one place in a queue.
//
// If a loop has very many tasks, queueing and stealing each task alone would cost too much. So the
// first tasks are queued alone, and the rest are one task to the scheduler: a range. The range runs
// the loop's tasks one after another in place, as its children. It halves itself whenever its
// worker's queue has nothing left for thieves (lazy binary splitting: Tzannes, Caragea, Barua,
// Vishkin, PPoPP 2010). The split-off half is a sibling of the range, so both halves are in the
// counts of the construct's task and its group. Each half ends when all the loop's tasks in it have
// ended.
//
// A range never waits, and never counts as a waiting tied task: the tasks in it meet the
// constraints of any task that runs in place. Only the thread that runs a range accesses it.
//
// While a probe is on there are no ranges: a probe sees the creation of each task.
#pragma once

#include "task/taskloop.h"

namespace teff::task {

// How many of a loop's tasks per member are queued one by one, as in libgomp.
inline constexpr std::uint64_t kTaskloopAlone = 64;

// Makes one range of the loop's tasks from `number` on. `each`: as in Taskloop::task. Requires that
// the tasks before `number` have been created. Returns false if the remaining tasks are to be
// created one by one, too: then nothing was done.
[[nodiscard]] bool try_create_range(team::Worker& worker, const TaskConstruct& each, const TaskloopParts& parts,
                                    std::uint64_t number);

} // namespace teff::task
