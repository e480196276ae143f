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
// taken by the context's worker, on its own thread:
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
// Host is the environment: suspend.h in the runtime, a model in the explorer. Worker, Context,
// Member and Other are the Host's types; they must have the members that this file uses. The Host
// also provides:
//
//     wait(Worker&, AtBottom&)         a wait of sched/wait.h with this condition
//     AtBottomOfStack, kAtBottom       tasks that may run on top of that wait, and its kind
//     run(Worker&, Task&)              runs a task, and passes on the ends that the worker has kept
//     before_leaving(Worker&)          called when the worker is about to leave its context
//     keep(Worker&, Context&)          saves whatever else belongs to the context
//     take_back(Worker&, Context&)     restores it: the worker has come back to the context
//     departs(Worker&)                 tells the probes that the worker departs
//     is_barred, await_end_of_bar(Worker&), stop_awaiting_end_of_bar(Context&): task/constraint.h
//     start(Context& from, Context& to), switch_to(from, to)   change stacks, and return when some
//                                      context has switched back to `from`; start calls begin(to)
//     stands_on(Worker&)               called on a stack that has just begun
//     begins(Worker&, Context&), ends(Worker&, Context&)       the first task of a context begins;
//                                      all tasks of the context have ended
//     give_back(Context&)              gives back a context that was not started
//     leave_for(Worker&, Context& to)  leaves the current context for good
#pragma once

#include <cstdint>
#include <utility>

#include "sched/lane.h"

namespace teff::task {

// The position of the left context among the ready contexts: at the head or at the end of its
// priority's line; or at the head of the line of the context for which it is left, if that has a
// higher priority.
enum class Goes : std::uint8_t { kToHead, kToEnd, kBesideOther };

template <class Host> struct SuspensionOver {
    using Worker = typename Host::Worker;
    using Context = typename Host::Context;
    using Other = typename Host::Other;

    // Leaves the current context until it is notified. If the awaited event has already happened,
    // the context becomes ready at once. `condition` is a condition of sched/wait.h.
    template <class Condition>
    static void leave_until_notified(Worker& worker, Condition& condition, const Other& other) {
        Context& self = *worker.context;
        self.notification.expect();
        if (!condition.try_arm()) return give_way(worker, other, Goes::kToHead);
        keep(worker);
        Host::await_end_of_bar(worker);
        if (!self.notification.try_suspend()) {
            (void)self.notification.set_aside();
            worker.member->ready.put_at_head(self);
        }
        depart(worker, other);
        condition.disarm();
    }

    // Leaves the current context, which becomes ready: its task can continue at any time.
    [[gnu::noinline]] static void give_way(Worker& worker, const Other& other, Goes goes) {
        Context& self = *worker.context;
        keep(worker);
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
        Worker& worker = self.worker;
        worker.task = worker.member->implicit_task;
        Host::stands_on(worker);
        Host::run(worker, *std::exchange(self.first, nullptr));
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

    // Continues in `other`. Returns when the worker has come back to the current context.
    [[gnu::noinline]] static void depart(Worker& worker, const Other& other) {
        Context& self = *worker.context;
        Context& to = *other.context;
        Host::departs(worker);
        worker.context = &to;
        if (other.starts != nullptr) {
            to.first = other.starts;
            to.queue = nullptr;
            Host::begins(worker, to);
            Host::start(self, to);
        } else {
            arrive(worker, to);
            Host::switch_to(self, to);
        }
        worker.task = self.task;
        worker.member->lane.restore(self.since);
        Host::take_back(worker, self);
    }

    static void arrive(Worker& worker, Context& context) {
        auto& member = *worker.member;
        if (&context == member.outside) member.outside = nullptr;
        else context.notification.resume();
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
