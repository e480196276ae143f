// SPDX-License-Identifier: Apache-2.0
//
// Suspension: the steps by which a worker leaves a task on its stack, goes on elsewhere, and comes
// back to it. When and why it does is said in suspend.h.
//
// A context is in one place at a time. Its notification (team/notification.h) says which:
//
//     current    its worker stands on it                       runs, notified
//     suspended  waits for a notification                      suspended
//     ready      in line (team/ready_contexts.h), or arriving  ready
//     outside    waits outside of tasks, has given way         runs, notified
//     free       nothing runs on it                            anything: late notifications do no harm
//
// Who takes it from one to the next. All but `notify` are steps of its worker, on its own thread:
//
//     free ──start──> current ──leave_until_notified──> suspended ──notify (anyone)──> ready
//                     current ──leave_until_notified, notified meanwhile; give_way──> ready
//                                                       suspended ──end of its bar──> ready
//                     current ──leave_outside──> outside
//                     current <──arrive── ready, outside
//     free <──its last task has ended── current
//
// Leaving until notified, in this order:
//
//     1. expect            a notification counts from here on
//     2. condition.try_arm whoever brings it about notifies. False: it holds, so the task is ready
//     3. keep              what the worker comes back to, and what a notifier reads of it
//     4. try_suspend       tells of 3. False: it was notified after 1, so the task is ready
//     5. depart
//
// 1 comes before 2, or a notification between the two would count for nothing. 3 comes before 4:
// who notifies after it reads the context's member and priority [notify-1]. After 4 the context may
// be ready while the worker still stands on it. That does no harm: nobody but this worker goes on
// there, and it looks for ready contexts only when it has departed.
//
// A notification (team::notify_and_wake) makes the condition true, then the context ready, then
// gives the worker a token [park-1]. A worker that is about to sleep looks for ready contexts, and
// then parks. If it looked before the context arrived, the token comes after its look, and it does
// not sleep. So no fence is needed between the two.
//
// Host is what is around: suspend.h in the runtime, a model in the explorer. Worker, Context,
// Member and Other are its types; what they must have is what is used here. Beyond that:
//
//     wait(Worker&, AtBottom&)         a wait of sched/wait.h with this condition
//     AtBottomOfStack, kAtBottom       what may run on top of that wait, and its kind
//     run(Worker&, Task&)              runs a task, and passes on the ends that it has kept
//     before_leaving(Worker&)          the worker is about to leave
//     keep(Worker&, Context&)          what else the context has to know
//     take_back(Worker&, Context&)     the worker is there again
//     departs(Worker&)                 for those who listen
//     is_barred, await_end_of_bar(Worker&), stop_awaiting_end_of_bar(Context&): task/constraint.h
//     start(Context& from, Context& to), switch_to(from, to)   change stacks, return as somebody
//                                      has come back to `from`; start calls begin(to)
//     stands_on(Worker&)               on a stack that has just begun
//     begins(Worker&, Context&), ends(Worker&, Context&)       the first task of a context begins;
//                                      its tasks have ended
//     give_back(Context&)              one that was not started
//     leave_for(Worker&, Context& to)  leaves the current context for good
#pragma once

#include <cstdint>
#include <utility>

#include "sched/lane.h"

namespace teff::task {

// What is to become of the context that the worker leaves.
enum class Goes : std::uint8_t { kToHead, kToEnd }; // of the ready ones

template <class Host> struct SuspensionOver {
    using Worker = typename Host::Worker;
    using Context = typename Host::Context;
    using Other = typename Host::Other;

    // The task goes on when it has been notified; in its turn, if what it waits for has happened by
    // now. The condition is one of sched/wait.h.
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

    // The task can go on at any time.
    [[gnu::noinline]] static void give_way(Worker& worker, const Other& other, Goes goes) {
        Context& self = *worker.context;
        keep(worker);
        (void)self.notification.set_aside();
        if (goes == Goes::kToHead) worker.member->ready.put_at_head(self);
        else worker.member->ready.put_at_end(self);
        depart(worker, other);
    }

    // The worker is outside of tasks, and comes back when it has nothing else to do.
    [[gnu::noinline]] static void leave_outside(Worker& worker, const Other& other) {
        keep(worker);
        worker.member->outside = worker.context;
        depart(worker, other);
    }

    // The life of a fresh context: its task, then what else there is to do on its stack. The last
    // call leaves that stack for good.
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

    // At the bottom of a context, outside of its tasks: until there is a context to leave it for,
    // which is `next`, or the turn of Member::outside.
    struct AtBottom {
        static constexpr auto kKind = Host::kAtBottom;

        Worker& worker;
        Context* next = nullptr;

        bool over() const { return next != nullptr || worker.member->outside != nullptr; }
        static bool try_arm() { return true; } // who makes a context ready wakes the worker
        static void disarm() {}
        static void ran_out() {}
        typename Host::AtBottomOfStack eligible() const { return typename Host::AtBottomOfStack(worker); }

        // A context on which nothing runs needs no other one for a task that is to start on a fresh
        // stack.
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
    // What the worker comes back to, and what whoever notifies the context finds there.
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

    // Returns when the worker has come back.
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

    // All tasks on the context have ended: it is as good as a fresh one. What they have left queued
    // is no more its own than anybody's.
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
