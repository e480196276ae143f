// SPDX-License-Identifier: Apache-2.0
#include "task/suspend.h"

#include <utility>

#include "preempt/hold.h"
#include "preempt/preempt.h"
#include "sync/held_locks.h"
#include "task/preemption.h"
#include "task/waiting.h"

namespace teff::task {

namespace {

// Resets the worker's knowledge of the queue and of the stack, because both belong to the context
// that the worker leaves.
void stop_running_in_place(team::Worker& worker) {
    worker.in_place = 0;
    worker.in_place_above = 0;
}

} // namespace

template <class Condition> void SuspendHost::wait(Worker& worker, Condition& at_bottom) {
    Wait().until(worker, at_bottom);
}

void SuspendHost::run(Worker& worker, Task& task) {
    run_taken(worker, task);
    pass_on_ends_if_any(worker);
}

team::Worker& SuspendHost::run_first(Worker& worker, Task& task) {
    if (TEFF_UNLIKELY(contexts_move()) && begins_movable(worker, task)) return run_movable(worker, task);
    run_here(worker, task);
    pass_on_ends_if_any(worker);
    return worker;
}

void SuspendHost::before_leaving(Worker& worker) {
    pass_on_ends_if_any(worker);
    stop_running_in_place(worker);
}

void SuspendHost::keep(Worker& worker, Context& self) {
    self.locks_held = std::exchange(sync::locks_held, 0);
    self.held = preempt::exchange_held(0);
    self.place = worker.member->lane.place;
    if (TEFF_UNLIKELY(preempt::is_on())) keep_run(worker, self);
    team::enlist(self);
    note_tied(worker);
}

void SuspendHost::take_back(Worker& worker, Context& self) {
    stop_running_in_place(worker);
    preempt::changed_stack(worker.target);
    if (TEFF_LIKELY(self.link != nullptr)) team::strike_out(self);
    sync::locks_held = self.locks_held;
    preempt::exchange_held(self.held);
    worker.member->lane.place = self.place;
    if (TEFF_UNLIKELY(preempt::is_on())) go_on_with_run(worker, self);
}

void SuspendHost::departs(Worker& worker) {
    if (TEFF_UNLIKELY(worker.probes != 0)) events::departs(worker);
    note_turn(worker);
}

void SuspendHost::start(Context& from, Context& to, After after) {
    constexpr auto kBegin = [](void* context) { Suspension::begin(*static_cast<Context*>(context)); };
    from.stack().start(to.stack(), kBegin, &to, after);
}

void SuspendHost::switch_to(Context& from, Context& to, After after) { from.stack().switch_to(to.stack(), after); }

void SuspendHost::begins(Worker& worker, Context& fresh) {
    fresh.started_for = worker.member;
    worker.runs_at.store(team::Worker::kOutsideOfTasks, std::memory_order_relaxed);
    fresh.born = ++worker.member->contexts_so_far;
}

void SuspendHost::ends(Worker& worker, Context& context) {
    forget_tied(worker);
    stop_running_in_place(worker);
    context.born = ++worker.member->contexts_so_far;
}

template struct SuspensionOver<SuspendHost>;

} // namespace teff::task
