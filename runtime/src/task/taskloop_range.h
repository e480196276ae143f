// SPDX-License-Identifier: Apache-2.0
//
// TaskloopRange: many tasks of a taskloop in one place of a queue.
//
// If a loop has very many tasks, queueing and stealing each of them alone would cost too much. So
// the first ones are queued alone, and the rest are one task to the scheduler: a range. It runs the
// loop's tasks one after another in place, as its children, and halves itself whenever its worker's
// queue has nothing left for thieves (lazy binary splitting: Tzannes, Caragea, Barua, Vishkin,
// PPoPP 2010). A half is a sibling of the range, so both are in the counts of the construct's task
// and its group: each ends when all the loop's tasks in it have.
//
// Ranges never wait, and hold no tied task's place: the tasks in them meet the constraints of any
// task that runs in place. Only the thread that runs a range touches it.
//
// With a probe on there are none: each task is seen as it is created.
#pragma once

#include "task/taskloop.h"

namespace teff::task {

// How many of a loop's tasks for each member are queued one by one, as in libgomp.
inline constexpr std::uint64_t kTaskloopAlone = 64;

// Makes the loop's tasks from `number` on one range; `each` as Taskloop's. Those before have been
// created. False: these are to be created one by one, too, nothing was done.
[[nodiscard]] bool try_create_range(team::Worker& worker, const TaskConstruct& each, const TaskloopParts& parts,
                                    std::uint64_t number);

} // namespace teff::task
