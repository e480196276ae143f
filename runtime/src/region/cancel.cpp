// SPDX-License-Identifier: Apache-2.0
#include "region/cancel.h"

#include "task/cancelled.h"

namespace teff::region {

namespace {

void cancel_group(task::Taskgroup* group) {
    if (group != nullptr && group->for_worksharing && group->outer != nullptr) group = group->outer;
    if (group != nullptr) group->cancelled.store(true, std::memory_order_relaxed);
}

} // namespace

bool is_cancelled(const team::Worker& worker, int kind) {
    if ((kind & kCancelTaskgroup) != 0 && task::group_cancelled(worker.task->group)) return true;
    const team::Team& team = *worker.member->team;
    return team.cancelled.load(std::memory_order_relaxed); // which also cancels the region's explicit tasks
}

void cancel(team::Worker& worker, int kind) {
    if ((kind & kCancelTaskgroup) != 0) return cancel_group(worker.task->group);
    team::Team& team = *worker.member->team;
    team.cancelled.store(true, std::memory_order_seq_cst); // [cancel-1]
    team.ready.wake_all();                                 // members that sleep at a barrier leave it
}

} // namespace teff::region
