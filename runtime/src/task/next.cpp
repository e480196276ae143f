// SPDX-License-Identifier: Apache-2.0
#include "task/next.h"

#include <algorithm>

#include "preempt/hold.h"
#include "sync/held_locks.h"
#include "task/run.h"
#include "task/taskgroup.h"
#include "team/probes.h"

namespace teff::task {

namespace {

// Admits the tasks that `May` admits and whose priority is above `above`. Used only for tasks that
// cannot be recycled meanwhile.
template <class May> struct Above : May {
    Above(const May& may, std::int32_t priority) : May(may), above(priority) {}
    bool operator()(const sched::Runnable* item) const { return item->priority > above && May::operator()(item); }

    std::int32_t above;
};

template <class May>
sched::Runnable* find_task(team::Worker& worker, const May& may, sched::Act act, sched::Look look) {
    team::Member& member = *worker.member;
    sched::Scheduler& ready = member.team->ready;
    if (act != sched::Act::kStartHigher) return ready.take_unrelated(member.lane, may, look);
    const Above<May> above(may, worker.task->priority);
    if (sched::Runnable* const found = ready.take_unrelated_raised(member.lane, above, sched::Look::kBrief))
        return found;
    // The task may be queued behind a task that may not start.
    return ready.take_unrelated_raised(member.lane, above, sched::Look::kThorough);
}

Other find_start(team::Worker& worker, team::Context& fresh, WaitKind kind, sched::Act act, sched::Look look) {
    const Constraint constraint = constraint_on(worker);
    if (kind != WaitKind::kIsPreempted || preempt::leaves_by_function())
        return {.context = &fresh, .starts = static_cast<Task*>(find_task(worker, MayStart(constraint), act, look))};
    const MayStartBeside beside(constraint);
    return {.context = &fresh, .starts = static_cast<Task*>(find_task(worker, beside, act, look))};
}

// Counts the locks of pthreads, too, as far as preemption sees them: while preemption is on, the
// scheduling constraints do not keep a task that wants such a lock from this thread.
bool holds_lock() { return TEFF_UNLIKELY(sync::locks_held != 0) || preempt::holds(); }

// Takes a ready context. While a waiting task holds one of the program's locks, only its
// descendants may continue. Other tasks might need the same lock, or begin a nested region that
// needs it, and thereby keep the thread from the task that holds the lock.
team::Context* take_ready(team::Worker& worker, WaitKind kind) {
    if (TEFF_UNLIKELY(contexts_move())) {
        const bool only_own = holds_lock() && kind != WaitKind::kOutsideOfTasks;
        return take_ready_or_moving(worker, only_own ? worker.task : nullptr);
    }
    team::ReadyContexts& ready = worker.member->ready;
    if (TEFF_LIKELY(!holds_lock()) || kind == WaitKind::kOutsideOfTasks) return ready.take();
    const Task& holder = *worker.task;
    return ready.take_if([&](const team::Context& context) { return descends(*context.task, holder); });
}

// Called when no stack is left for a task that may start. On a barred context the task may not run
// on top of the wait, but it may run on top of the innermost tied task. So the worker continues in
// that task's context, as if the context had been notified.
Other without_stack(team::Worker& worker, WaitKind kind) {
    const bool gives_way = kind == WaitKind::kYields || kind == WaitKind::kIsPreempted;
    if (gives_way || !is_barred(worker)) return {};
    team::Context& context = *worker.member->tied->context;
    return {.context = context.notification.set_aside() ? &context : nullptr};
}

// Returns true if the constraints do not bind the waits of the current task.
bool is_unbound(const team::Worker& worker) { return is_relaxed() || (worker.task->flags & kFree) != 0; }

bool is_relaxed_everywhere() { return icv::global().task_constraints == icv::TaskConstraints::relaxed; }

} // namespace

bool waits_in_place(const team::Worker& worker) {
    const team::Member& member = *worker.member;
    if (member.team->level == 0 || team::observed(worker) || holds_lock()) return true;
    if (is_relaxed_everywhere()) return !member.team->has_tasks.load(std::memory_order_relaxed);
    const bool alone = member.suspended == nullptr && member.moving.load(std::memory_order_relaxed) == 0;
    return !is_unbound(worker) || alone || may_reduce(worker.task->group);
}

sched::Row row_of(team::Worker& worker, WaitKind kind) {
    // A member that lingers outside of tasks must not read its team's level, because a region may
    // begin at this moment.
    const bool outside_of_regions = kind != WaitKind::kOutsideOfTasks && worker.member->team->level == 0;
    if (outside_of_regions || team::observed(worker)) return sched::kOnOneStack;
    const bool in_task = kind == WaitKind::kInTask, outside = kind == WaitKind::kOutsideOfTasks;
    if (!in_task && !outside) {
        if (holds_lock()) return sched::kOnlyWaits;
        if (kind != WaitKind::kForLock) return sched::kGiveWay;
        return is_relaxed_everywhere() ? sched::kLockWait : sched::kLockWaitAbove;
    }
    if (in_task && holds_lock()) return sched::kHoldsLock;
    if (is_barred(worker)) return sched::kBarredWait;
    if (outside) return sched::kOutsideOfTasks;
    // A task that takes part in a reduction blocks its thread later, at a lock or a turn
    // (waits_in_place). So it starts nothing now for which other tasks may wait.
    const bool relaxed = is_unbound(worker) && (is_relaxed_everywhere() || !may_reduce(worker.task->group));
    return (worker.task->flags & kUntied) != 0 || relaxed ? sched::kUntiedWait : sched::kTiedWait;
}

void see(team::Worker& worker, sched::Seen& seen) {
    if (TEFF_UNLIKELY(is_special())) worker.raises_seen = worker.member->team->ready.raises(); // before it looks
    seen.ready = highest_ready(worker);
    seen.queued = worker.member->team->ready.highest();
    seen.waits_at = std::max(worker.task->priority, 0);
}

Other find_other(team::Worker& worker, WaitKind kind, sched::Act act, sched::Look look) {
    if (act == sched::Act::kResume) return {.context = take_ready(worker, kind)};
    if (!worker.member->team->has_tasks.load(std::memory_order_relaxed)) return {};
    team::Context* const fresh = team::take_context(worker);
    if (TEFF_UNLIKELY(fresh == nullptr)) return without_stack(worker, kind);
    const Other found = find_start(worker, *fresh, kind, act, look);
    if (found.starts != nullptr) return found;
    team::give_back_context(*fresh);
    return {};
}

std::int32_t highest_ready_or_moving(team::Worker& worker) {
    const team::Context* const first = worker.member->ready.first();
    return std::max(first != nullptr ? first->priority : sched::kNoLevel, highest_moving(worker));
}

team::Context* take_any_ready(team::Worker& worker) {
    return TEFF_UNLIKELY(contexts_move()) ? take_ready_or_moving(worker, nullptr) : worker.member->ready.take();
}

Other find_unnotified(team::Worker& worker) {
    const team::Member& member = *worker.member;
    team::Context* context = member.suspended;
    if (context != nullptr && context == member.outside) context = context->after;
    if (context == nullptr && contexts_move()) context = find_unnotified_moving(worker);
    if (context != nullptr) (void)context->notification.set_aside();
    return {.context = context};
}

} // namespace teff::task
