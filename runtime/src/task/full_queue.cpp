// SPDX-License-Identifier: Apache-2.0
#include "task/full_queue.h"

#include <pthread.h>

#include "icv/icv.h"
#include "preempt/hold.h"
#include "sync/held_locks.h"
#include "task/create.h"
#include "task/eligible.h"
#include "task/events.h"
#include "task/events_counted.h"
#include "task/events_recorded.h"
#include "task/run.h"
#include "task/wait.h"
#include "team/contexts.h"

namespace teff::task {

namespace {

constexpr unsigned kInARow = 16; // number of tasks run in place before the queue is checked again
// Returns true if the current task may hold a lock that the new task needs. The runtime sees the
// locks of pthreads only while preemption is on. While it is off, any task may hold one; a team of
// one takes none into account, because there a task that runs at once costs a fifth. A user who has
// set a smaller limit than the default wants tasks to run at once.
[[gnu::always_inline]] inline bool may_hold_lock(const team::Worker& worker) {
    constexpr std::uint32_t kDefaultLimit = 1024;
    if (sync::locks_held != 0 || preempt::holds()) return true;
    return worker.member->team->size != 1 && !preempt::is_on() && icv::global().deque_limit >= kDefaultLimit;
}

// Returns the middle of the stack that the worker is on.
std::uintptr_t middle_of_stack(team::Worker& worker) {
    const team::StackBounds bounds = team::stack_bounds(worker);
    const auto low = reinterpret_cast<std::uintptr_t>(bounds.low);
    return low + (reinterpret_cast<std::uintptr_t>(bounds.high) - low) / 2;
}

// Returns how many tasks the creator's thread has queued, with and without a priority; 0 if tasks
// of this thread are in no queue of its own.
std::uint32_t queued(team::Worker& worker) {
    auto& lane = worker.member->lane;
    if (lane.limit == 0) return 0;
    auto* const raised = lane.raised.load(std::memory_order_relaxed);
    return lane.queue().deque.size() + (raised != nullptr ? raised->size() : 0);
}

// If a task of a higher priority is queued and may run on top of the creator, or on another stack
// while the creator waits, queues the new task and runs the queued task instead. If the creator may
// hold a lock, only queues the new task: the queued task may need the lock, although the new task
// does not. Returns false, and does nothing, if there is no such task.
TEFF_COLD bool try_run_higher(team::Worker& worker, Task& task) {
    team::Member& member = *worker.member;
    sched::Scheduler& ready = member.team->ready;
    if (ready.highest() <= task.priority) return false;
    if (may_hold_lock(worker)) {
        ready.make_ready_past_limit(member.lane, &task);
        return true;
    }
    const Eligible eligible(*worker.task, nullptr);
    sched::Runnable* const first = ready.take_unrelated_raised(member.lane, eligible, sched::Look::kBrief);
    if (first == nullptr) return queue_below_higher(worker, task);
    ready.make_ready_past_limit(member.lane, &task);
    detail::run_in_place(worker, static_cast<Task&>(*first));
    return true;
}

} // namespace

bool detail::may_run_at_once(team::Worker& worker) {
    if (!worker.member->may_defer() && !prepare_to_defer(*worker.member)) return false; // outside regions
    if (worker.in_place_above == 0) worker.in_place_above = middle_of_stack(worker);
    // Beyond this number a program may not rely on a creator that holds a lock to continue: with
    // libgomp it does not continue either.
    if (may_hold_lock(worker) && queued(worker) <= kPeersPerMember * worker.member->team->size) return false;
    return has_stack(worker) && !is_barred(worker);
}

bool detail::stays_full(team::Worker& worker) {
    team::Member& member = *worker.member;
    const bool stays = worker.in_place != 0 || member.team->ready.is_nearly_full(member.lane);
    if (!stays || !may_run_at_once(worker)) {
        worker.in_place = 0;
        return false;
    }
    if (worker.in_place == 0) worker.in_place = kInARow;
    if (team::counted(worker)) counting::takes_call(*worker.stat);
    if (team::only_traced(worker)) recording::takes_call(worker);
    return true;
}

bool detail::has_much_data_queued(team::Worker& worker) { return queued(worker) >= kPeersPerMember; }

void detail::run_or_queue(team::Worker& worker, Task& task) {
    team::Member& member = *worker.member;
    if (!may_run_at_once(worker)) return member.team->ready.make_ready_past_limit(member.lane, &task);
    if (task.priority > 0 && try_run_higher(worker, task)) return;
    worker.in_place = kInARow;
    run_in_place(worker, task);
    continue_begun(worker, {});
}

void detail::run_in_place(team::Worker& worker, Task& task) {
    // The creator is recorded as waiting while the task runs; otherwise the time would count as
    // work of both tasks.
    const bool probed = worker.probes != 0;
    const std::uint32_t site = probed ? task.site : 0;
    const base::Ticks began = probed ? events::runs_at_once(worker) : 0;
    run_taken(worker, task);
    pass_on_ends_if_any(worker); // the task may take long, or wait for these ends
    if (probed) events::ran_at_once(worker, site, began);
}

} // namespace teff::task
