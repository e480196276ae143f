// SPDX-License-Identifier: Apache-2.0
//
// TaskloopRange: many tasks of a taskloop in one place of a queue.
//
// Where a loop has very many tasks, one by one each would cost a way through the queue, and a
// thief's trip for each. So after the first of them the rest are one task to the scheduler: a
// range. It runs the loop's tasks one after another in place, as its children, and halves itself
// whenever nothing is left for thieves in its worker's queue (lazy binary splitting: Tzannes,
// Caragea, Barua, Vishkin, PPoPP 2010). A half is a sibling of the range, so both are in the
// counts of the construct's task and its group: each ends when all the loop's tasks in it have.
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
