// SPDX-License-Identifier: Apache-2.0
#include "task/suspend.h"

#include <utility>

#include "preempt/hold.h"
#include "preempt/preempt.h"
#include "sync/held_locks.h"
#include "task/waiting.h"

namespace teff::task {

namespace {

// What is known of the queue and the stack is of the context that the worker leaves.
void stop_running_in_place(team::Worker& worker) {
    worker.in_place = 0;
    worker.in_place_above = 0;
}

// At the bottom of a context, outside of its tasks: until there is a context to leave it for, which
// is `next`, or it is ground's turn.
struct AtBottom {
    static constexpr WaitKind kKind = WaitKind::kOutsideOfTasks;

    team::Worker& worker;
    team::Context* next = nullptr;

    bool over() const { return next != nullptr || worker.member->ground != nullptr; }
    static bool try_arm() { return true; } // who makes a context ready wakes the worker
    static void disarm() {}
    static void ran_out() {}
    AtBottomOfStack eligible() const { return AtBottomOfStack(worker); }
    static void go_to_other(AtBottom& condition, const Other& other);
};

// All tasks on the context have ended: it is as good as a fresh one. What they have left queued is
// no more its own than anybody's.
void empty(team::Worker& worker, team::Context& context) {
    forget_tied(worker);
    worker.member->lane.abandon();
    stop_running_in_place(worker);
    context.born = ++worker.member->contexts_so_far;
}

// A context on which nothing runs needs no other one for a task that is to start on a fresh stack.
void AtBottom::go_to_other(AtBottom& condition, const Other& other) {
    if (other.starts == nullptr) {
        condition.next = other.context;
        return;
    }
    team::Worker& worker = condition.worker;
    team::give_back_context(*other.context);
    empty(worker, *worker.context);
    run(worker, *other.starts);
    pass_on_ends_if_any(worker);
}

team::Context& next_from_bottom(team::Worker& worker) {
    team::Member& member = *worker.member;
    AtBottom at_bottom{worker};
    Wait().until(worker, at_bottom);
    if (at_bottom.next != nullptr) return *at_bottom.next;
    if (team::Context* const ready = member.ready.take()) return *ready;
    return member.ground != nullptr ? *member.ground : *find_unnotified(worker).context;
}

void arrive_at(team::Worker& worker, team::Context& context) {
    team::Member& member = *worker.member;
    if (&context == member.ground) member.ground = nullptr;
    else context.notification.resume();
    stop_awaiting_end_of_bar(context);
    member.lane.return_to(context.queue);
}

// The first function on a fresh context.
void bottom(void* argument) {
    auto& self = *static_cast<team::Context*>(argument);
    team::Worker& worker = self.worker;
    worker.task = worker.member->implicit_task;
    preempt::changed_stack(worker.target);
    run(worker, *std::exchange(self.first, nullptr));
    pass_on_ends_if_any(worker);
    empty(worker, self);
    team::Context& next = next_from_bottom(worker);
    empty(worker, self);
    arrive_at(worker, next);
    team::leave_context_for(worker, next);
}

constexpr fiber::After kNothingToDo = {[](void*) {}, nullptr};

// A fresh context begins, with no queue yet.
void begin(team::Worker& worker, const Other& other) {
    team::Member& member = *worker.member;
    team::Context& fresh = *other.context;
    fresh.first = other.starts;
    fresh.started_for = &member;
    fresh.born = ++member.contexts_so_far;
    fresh.queue = nullptr;
}

} // namespace

void prepare_to_leave(team::Worker& worker) {
    pass_on_ends_if_any(worker);
    stop_running_in_place(worker);
    team::Context& self = *worker.context;
    team::Member& member = *worker.member;
    self.member = &member;
    self.task = worker.task;
    self.priority = worker.task->priority;
    self.since = member.lane.since;
    self.locks_held = std::exchange(sync::locks_held, 0);
    self.held = preempt::exchange_held(0);
    team::enlist(self);
    note_tied(worker);
    self.queue = member.lane.leave(is_barred(worker) ? sched::Left::kBarred : sched::Left::kOpen);
}

void depart(team::Worker& worker, const Other& other) {
    team::Context& self = *worker.context;
    team::Context& to = *other.context;
    if (TEFF_UNLIKELY(worker.probes != 0)) events::departs(worker);
    note_turn(worker);
    worker.context = &to;
    if (other.starts != nullptr) {
        begin(worker, other);
        self.stack().start(to.stack(), bottom, &to, kNothingToDo);
    } else {
        arrive_at(worker, to);
        self.stack().switch_to(to.stack(), kNothingToDo);
    }
    worker.task = self.task;
    worker.member->lane.restore(self.since);
    stop_running_in_place(worker);
    preempt::changed_stack(worker.target);
    team::strike_out(self);
    sync::locks_held = self.locks_held;
    preempt::exchange_held(self.held);
}

void give_way(team::Worker& worker, const Other& other, Goes goes) {
    team::Context& self = *worker.context;
    prepare_to_leave(worker);
    (void)self.notification.set_aside();
    if (goes == Goes::kToHead) worker.member->ready.put_at_head(self);
    else worker.member->ready.put_at_end(self);
    depart(worker, other);
}

void leave_ground(team::Worker& worker, const Other& other) {
    prepare_to_leave(worker);
    worker.member->ground = worker.context;
    depart(worker, other);
}

} // namespace teff::task
