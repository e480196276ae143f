// SPDX-License-Identifier: Apache-2.0
#include "region/cancel.h"

#include "region/events.h"
#include "task/cancelled.h"

namespace teff::region {

namespace {

bool is_cancelled(const team::Worker& worker, int kind) {
    const team::Team& team = *worker.member->team;
    if ((kind & (kCancelLoop | kCancelSections)) != 0) return team.workshare_cancelled.load(std::memory_order_relaxed);
    if ((kind & kCancelTaskgroup) != 0 && task::group_cancelled(worker.task->group)) return true;
    return team.cancelled.load(std::memory_order_relaxed); // which also cancels the region's explicit tasks
}

} // namespace

bool cancellation_point(team::Worker& worker, int kind, base::CallSite site) {
    if (!icv::global().cancellation || !is_cancelled(worker, kind)) return false;
    if (TEFF_UNLIKELY(worker.probes != 0)) events::cancellation_seen(worker, kind, site);
    return true;
}

bool cancel(team::Worker& worker, int kind, base::CallSite site) {
    if (!icv::global().cancellation) return false;
    if (TEFF_UNLIKELY(worker.probes != 0)) events::cancels(worker, kind, site);
    team::Team& team = *worker.member->team;
    if ((kind & (kCancelLoop | kCancelSections)) != 0) {
        team.workshare_cancelled.store(true, std::memory_order_relaxed);
    } else if ((kind & kCancelTaskgroup) != 0) {
        task::Taskgroup* group = worker.task->group;
        if (group != nullptr && group->for_worksharing && group->outer != nullptr) group = group->outer;
        if (group != nullptr) group->cancelled.store(true, std::memory_order_relaxed);
    } else {
        team.cancelled.store(true, std::memory_order_seq_cst);
        team.ready.wake_all(); // members that sleep at a barrier leave it
    }
    return true;
}

} // namespace teff::region
