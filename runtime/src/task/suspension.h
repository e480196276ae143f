// SPDX-License-Identifier: Apache-2.0
//
// Suspension: the steps by which a worker leaves a task on its stack, continues elsewhere, and
// comes back to the task. suspend.h says when and why a worker does so.
//
// A context is in one of these places at a time. The last column is the state of its notification
// (team/notification.h):
//
//     current    its worker stands on it                       runs, notified
//     suspended  waits for a notification                      suspended
//     ready      in line (team/ready_contexts.h), or arriving  ready
//     outside    waits outside of tasks, has given way         runs, notified
//     free       nothing runs on it                            any: late notifications do no harm
//
// These are the transitions between the places. Any thread may call `notify`. All other steps are
// taken by the context's worker, on its own thread, unless the context moves (see below):
//
//     free ──start──> current ──leave_until_notified──> suspended ──notify (any thread)──> ready
//                     current ──leave_until_notified, notified meanwhile; give_way──> ready
//                                                       suspended ──end of its bar──> ready
//                     current ──leave_outside──> outside
//                     current <──arrive── ready, outside
//     free <──its last task has ended── current
//
// leave_until_notified takes these steps, in this order:
//
//     1. expect            from here on a notification counts
//     2. condition.try_arm asks for a notification; false: the condition holds: the task is ready
//     3. keep              saves the state for the worker's return, and the data for notifiers
//     4. try_suspend       publishes step 3; false: notified after step 1, so the task is ready
//     5. depart
//
// Step 1 comes before step 2; otherwise a notification between the two would be lost. Step 3 comes
// before step 4, because a thread that notifies after step 4 reads the context's member and
// priority [notify-1]. After step 4 the context may be ready while the worker is still on it. This
// does no harm: only this worker continues there, and it looks for ready contexts only after it has
// departed.
//
// A notifier makes the condition true, then makes the context ready, then gives the worker a token
// [park-1] (team::notify_and_wake). A worker that is about to sleep looks for ready contexts, and
// then parks. If it looked before the context became ready, the token comes after the look, so the
// worker does not sleep. Therefore no fence is needed between the look and the park.
//
// Contexts that move. A context that Host::may_move admits may continue on another worker. It is
// one of
//
//     departing  its worker saves it and changes stacks             runs, notified
//     suspended  waits for a notification, on no worker             suspended
//     offered    any worker of the team may take it                 ready
//     current    a worker stands on it                              runs, notified
//
//     current ──keep──> departing ──After: try_suspend──> suspended ──notify (any thread)──> offered
//                                 └──After: set_aside──> offered ──take (any member), arrive──> current
//
// Step 4 and `set_aside` come after the change of stacks: the worker takes them on the stack at
// which it has arrived (fiber::After). Before that, no other worker may continue on the stack. So
// step 5 comes before step 4; nothing else changes. A notification between the steps 1 and 4 is
// found by try_suspend, as for other contexts.
//
// Everything that the worker has written before it departed is visible to the worker that takes the
// context: by the offer ([offer-1] in team/moving_contexts.h), and, if a notifier offers the
// context, by the notification before ([notify-1]).
//
// From the call of `depart` on, a context that moves may be on another worker. So code on its stack
// asks the context for the worker: give_way, leave_until_notified and Host::run_first tell their
// callers so. All frames on the stack of a context that moves do this; may_move is false for every
// context on whose stack another frame of the runtime could be.
//
// Host is the environment: suspend.h in the runtime, a model in the explorer. Worker, Context,
// Member and Other are the Host's types; they must have the members that this file uses. The Host
// also provides:
//
//     wait(Worker&, AtBottom&)         a wait of sched/wait.h with this condition
//     AtBottomOfStack, kAtBottom       tasks that may run on top of that wait, and its kind
//     run(Worker&, Task&)              runs a task, and passes on the ends that the worker has kept
//     run_first(Worker&, Task&)        the same for the first task of a context; returns the worker
//                                      that has ended the task
//     before_leaving(Worker&)          called when the worker is about to leave its context
//     keep(Worker&, Context&)          saves whatever else belongs to the context
//     may_move(Worker&, Context&)      returns true if another worker may continue in the context,
//                                      which was kept; then it belongs to its member no more
//     adopt(Worker&, Context&)         makes the context, which was offered, one of the worker's
//     has_departed(Context&)           the worker has departed from the context, which moves
//     offer(Context&)                  offers the context
//     After, kNothingToDo              what is done on the stack of arrival; nothing
//     take_back(Worker&, Context&)     restores it: the worker has come back to the context
//     departs(Worker&)                 tells the probes that the worker departs
//     is_barred, await_end_of_bar(Worker&), stop_awaiting_end_of_bar(Context&): task/constraint.h
//     start(Context& from, Context& to, After), switch_to(from, to, After)   change stacks, and
//                                      return when some context has switched back to `from`; start
//                                      calls begin(to)
//     stands_on(Worker&)               called on a stack that has just begun
//     begins(Worker&, Context&), ends(Worker&, Context&)       the first task of a context begins;
//                                      all tasks of the context have ended
//     give_back(Context&)              gives back a context that was not started
//     leave_for(Worker&, Context& to)  leaves the current context for good
#pragma once

#include <cstdint>
#include <utility>

#include "base/cache_line.h"
#include "sched/lane.h"

namespace teff::task {

// The position of the left context among the ready contexts: at the head or at the end of its
// priority's line; or at the head of the line of the context for which it is left, if that has a
// higher priority.
enum class Goes : std::uint8_t { kToHead, kToEnd, kBesideOther };

// Whether the caller can continue on another worker, after it has left its context. The caller is a
// frame on that context's stack, and so are its callers.
enum class Caller : bool { kStays, kMayMove };

template <class Host> struct SuspensionOver {
    using Worker = typename Host::Worker;
    using Context = typename Host::Context;
    using Other = typename Host::Other;
    using After = typename Host::After;

    // Leaves the current context until it is notified. If the awaited event has already happened,
    // the context becomes ready at once. `condition` is a condition of sched/wait.h.
    template <class Condition>
    static void leave_until_notified(Worker& worker, Condition& condition, const Other& other,
                                     Caller caller = Caller::kStays) {
        Context& self = *worker.context;
        self.notification.expect();
        if (!condition.try_arm()) return give_way(worker, other, Goes::kToHead, caller);
        keep(worker);
        if (caller == Caller::kMayMove && TEFF_UNLIKELY(Host::may_move(worker, self))) {
            depart(worker, other, After{&suspend_departed, &self});
            return condition.disarm();
        }
        Host::await_end_of_bar(worker);
        if (!self.notification.try_suspend()) {
            (void)self.notification.set_aside();
            worker.member->ready.put_at_head(self);
        }
        depart(worker, other);
        condition.disarm();
    }

    // Leaves the current context, which becomes ready: its task can continue at any time.
    [[gnu::noinline]] static void give_way(Worker& worker, const Other& other, Goes goes,
                                           Caller caller = Caller::kStays) {
        Context& self = *worker.context;
        keep(worker);
        if (caller == Caller::kMayMove && TEFF_UNLIKELY(Host::may_move(worker, self)))
            return depart(worker, other, After{&offer_departed, &self});
        (void)self.notification.set_aside();
        if (goes == Goes::kBesideOther) {
            const std::int32_t level = other.context->priority;
            if (self.priority < level) self.priority = level;
        }
        if (goes == Goes::kToEnd) worker.member->ready.put_at_end(self);
        else worker.member->ready.put_at_head(self);
        depart(worker, other);
    }

    // Leaves the current context, where the worker is in a wait outside of tasks. The worker comes
    // back when it has nothing else to do.
    [[gnu::noinline]] static void leave_outside(Worker& worker, const Other& other) {
        keep(worker);
        worker.member->outside = worker.context;
        depart(worker, other);
    }

    // The loop of a fresh context: runs first its task, then other tasks that may run on this
    // stack. The last call leaves the stack for good.
    static void begin(Context& self) {
        Worker& begins_on = self.worker();
        begins_on.task = begins_on.member->implicit_task;
        Host::stands_on(begins_on);
        Worker& worker = Host::run_first(begins_on, *std::exchange(self.first, nullptr));
        empty(worker, self);
        Context& next = next_from_bottom(worker);
        empty(worker, self);
        arrive(worker, next);
        Host::leave_for(worker, next);
    }

    // The condition of the wait at the bottom of a context, outside of its tasks. The wait is over
    // when there is a context to leave for: `next`, or Member::outside.
    struct AtBottom {
        static constexpr auto kKind = Host::kAtBottom;

        Worker& worker;
        Context* next = nullptr;

        bool over() const { return next != nullptr || worker.member->outside != nullptr; }
        static bool try_arm() { return true; } // the thread that makes a context ready wakes the worker
        static void disarm() {}
        static void ran_out() {}
        typename Host::AtBottomOfStack eligible() const { return typename Host::AtBottomOfStack(worker); }

        // No task runs on this context. So a task that needs a fresh stack starts here, and the
        // fresh context is given back.
        static void go_to_other(AtBottom& condition, const Other& other) {
            if (other.starts == nullptr) {
                condition.next = other.context;
                return;
            }
            Worker& worker = condition.worker;
            Host::give_back(*other.context);
            empty(worker, *worker.context);
            Host::run(worker, *other.starts);
        }
    };

  private:
    // Saves the state to which the worker comes back, and the state that a notifier reads.
    [[gnu::noinline]] static void keep(Worker& worker) {
        Host::before_leaving(worker);
        Context& self = *worker.context;
        auto& member = *worker.member;
        self.member = &member;
        self.task = worker.task;
        self.priority = worker.task->priority;
        self.since = member.lane.since;
        Host::keep(worker, self);
        self.queue = member.lane.leave(Host::is_barred(worker) ? sched::Left::kBarred : sched::Left::kOpen);
    }

    // Called on the stack of arrival. Afterwards the context may be on another worker.
    static void suspend_departed(void* context) {
        Context& self = *static_cast<Context*>(context);
        Host::has_departed(self);
        if (self.notification.try_suspend()) return;
        (void)self.notification.set_aside();
        Host::offer(self);
    }
    static void offer_departed(void* context) {
        Context& self = *static_cast<Context*>(context);
        Host::has_departed(self);
        (void)self.notification.set_aside();
        Host::offer(self);
    }

    // Continues in `other`. Returns when a worker has come back to the current context: the same
    // worker, unless the context moves.
    [[gnu::noinline]] static void depart(Worker& worker, const Other& other, After after = Host::kNothingToDo) {
        Context& self = *worker.context;
        Context& to = *other.context;
        Host::departs(worker);
        worker.context = &to;
        if (other.starts != nullptr) {
            to.first = other.starts;
            to.queue = nullptr;
            Host::begins(worker, to);
            Host::start(self, to, after);
        } else {
            arrive(worker, to);
            Host::switch_to(self, to, after);
        }
        Worker& returns = self.worker();
        returns.task = self.task;
        returns.member->lane.restore(self.since);
        Host::take_back(returns, self);
    }

    static void arrive(Worker& worker, Context& context) {
        auto& member = *worker.member;
        if (&context == member.outside) {
            member.outside = nullptr;
        } else {
            if (TEFF_UNLIKELY(context.moves)) Host::adopt(worker, context);
            context.notification.resume();
        }
        Host::stop_awaiting_end_of_bar(context);
        member.lane.return_to(context.queue);
    }

    // Requires that all tasks on the context have ended. Makes the context equivalent to a fresh
    // one. The tasks left in its queue no longer belong to this context: any worker may take them.
    static void empty(Worker& worker, Context& context) {
        Host::ends(worker, context);
        worker.member->lane.abandon();
    }

    static Context& next_from_bottom(Worker& worker) {
        auto& member = *worker.member;
        AtBottom at_bottom{worker};
        Host::wait(worker, at_bottom);
        if (at_bottom.next != nullptr) return *at_bottom.next;
        if (Context* const ready = member.ready.take()) return *ready;
        return member.outside != nullptr ? *member.outside : *Host::find_unnotified(worker, at_bottom).context;
    }
};

} // namespace teff::task
