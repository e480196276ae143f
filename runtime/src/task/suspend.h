// SPDX-License-Identifier: Apache-2.0
//
// Suspending a task: it keeps its stack, and its worker goes on with another one.
//
// A task runs as a plain call on its worker's current context, and waits on top of it
// (sched/wait.h) as long as its descendants can be run there. When it finds none, and its worker
// may do something else (sched/choice.h), the worker leaves the context to it and goes on
// elsewhere: in a context whose task can go on, or with a task that starts on a fresh context. A
// task that never waits pays nothing for this.
//
//     runs ──wait, and other work──> suspended ──notified──> ready ──its worker's next choice──> runs
//       │                                                      ^
//       └─────────────── taskyield, preemption ────────────────┘
//
// Who takes which edge. All but `notified` are steps of the one worker that the context belongs to,
// on its own thread: a task goes on where it began, tied or not (docs/decisions/0014). The
// notification is everybody's (team/notification.h). A ready context waits among its worker's ready
// ones (team/ready_contexts.h); a worker that sleeps, wherever it does, is woken for it.
//
// Who leaves its stack: an untied task that waits, for whatever may start; a tied one, for a ready
// context alone, since nothing may start beside it but its own descendants, and those run on top of
// it; either at a taskyield that polls, and when it is preempted.
//
// Where a context starts, below its first task, is a loop of its own (`bottom`). When that task has
// ended, the worker leaves the context for a ready one, or goes back to ground: to the wait outside
// of tasks, at a barrier or the join, if that has given way to a ready context. If there is
// neither, as the member's implicit task waits inside itself, the loop runs tasks and sleeps.
//
// All this is a matter of one member. While its worker is in a nested region it is another one, and
// comes back to the tasks outside when that region has ended: so the member's own nested team is
// never in use twice. What goes along with a context is in team::Context: the lock depth
// (sync/held_locks.h) is that of the task.
//
// In a recording the records of a worker stand in order of their ends, whatever context they come
// from: a context is never left in the middle of a record.
//
// If there is no stack to be had, a task waits in place, and its own descendants run on top of it.
//
// fork(). The contexts of the thread that forked stay, in the child, those of others are gone. In
// an orphaned team (region/after_fork.h) waits end when there is nothing to run: those of suspended
// tasks, too.
#pragma once

#include "task/eligible.h"
#include "task/events.h"
#include "task/next.h"

namespace teff::task {

// What is to become of the context that the worker leaves.
enum class Goes : std::uint8_t { kToHead, kToEnd }; // of the ready ones

// The worker has gone from one task to another, or has looked for one in vain at a taskyield:
// team/turns.h.
inline void note_turn(team::Worker& worker) {
    if (worker.turns.turned() && TEFF_UNLIKELY(worker.probes != 0)) events::turned(worker);
}

// The steps of leaving the current context. First the context gets to know what the worker comes
// back to, and whoever notifies it finds there what it needs; only then does its notification let
// it be ready. `depart` returns when the worker has come back.
void prepare_to_leave(team::Worker& worker);
void depart(team::Worker& worker, const Other& other);
// The task can go on at any time.
void give_way(team::Worker& worker, const Other& other, Goes goes);
// The worker is outside of tasks, and comes back when it has nothing else to do.
void leave_ground(team::Worker& worker, const Other& other);

// The task goes on when it has been notified; in its turn, if what it waits for has come about by
// now. The condition is one of sched/wait.h.
template <class Condition> void leave_until_notified(team::Worker& worker, Condition& condition, const Other& other) {
    team::Context& self = *worker.context;
    self.notification.expect();
    if (!condition.try_arm()) return give_way(worker, other, Goes::kToHead);
    prepare_to_leave(worker);
    await_end_of_bar(worker);
    if (!self.notification.try_suspend()) {
        (void)self.notification.set_aside();
        worker.member->ready.put_at_head(self);
    }
    depart(worker, other);
    condition.disarm();
}

} // namespace teff::task
