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

// What a start looks for.
struct Start {
    WaitKind kind;
    sched::Look look;
    std::int32_t above; // only tasks of a higher priority; kNoLevel: any task
};

template <class May> Task* find_task(team::Worker& worker, const May& may, const Start& start) {
    team::Member& member = *worker.member;
    sched::Scheduler& ready = member.team->ready;
    return static_cast<Task*>(start.above == sched::kNoLevel ? ready.take_unrelated(member.lane, may, start.look)
                                                             : ready.take_above(member.lane, may, start.above));
}

Task* find_start(team::Worker& worker, const Start& start) {
    const Constraint constraint = constraint_on(worker);
    if (start.kind != WaitKind::kIsPreempted || preempt::leaves_by_function())
        return find_task(worker, MayStart(constraint), start);
    return find_task(worker, MayStartBeside(constraint), start);
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

void before_sleep(team::Worker& worker, WaitKind kind) {
    if (kind != WaitKind::kInTask || is_relaxed_everywhere() || !is_unbound(worker)) return;
    if (may_reduce(worker.task->group)) worker.member->team->ready.share_all(worker.member->lane);
}

void see(team::Worker& worker, sched::Seen& seen) {
    if (TEFF_UNLIKELY(is_special())) worker.raises_seen = worker.member->team->ready.raises(); // before it looks
    seen.ready = highest_ready(worker);
    seen.queued = worker.member->team->ready.highest();
    seen.waits_at = std::max(worker.task->priority, 0);
}

Other find_other(team::Worker& worker, WaitKind kind, sched::Act act, sched::Look look, std::int32_t above) {
    if (act == sched::Act::kResume) return {.context = take_ready(worker, kind)};
    if (!worker.member->team->has_tasks.load(std::memory_order_relaxed)) return {};
    team::Context* const fresh = team::take_context(worker);
    if (TEFF_UNLIKELY(fresh == nullptr)) return without_stack(worker, kind);
    if (act == sched::Act::kStartHigher) above = std::max(above, worker.task->priority);
    if (Task* const task = find_start(worker, {kind, look, above})) return {.context = fresh, .starts = task};
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
