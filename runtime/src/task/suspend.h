// SPDX-License-Identifier: Apache-2.0
//
// Suspending a task: the task keeps its stack, and its worker continues with another task.
//
// A task runs as a plain call on its worker's current context. While the task waits, its
// descendants run on top of it (sched/wait.h), as long as the wait finds any. If the wait finds
// none, and the worker may do other work (sched/choice.h), the worker leaves the context. It then
// continues in a ready context, or starts a task on a fresh context. A task that never waits pays
// nothing for this.
//
//     runs ──wait, and other work──> suspended ──notified──> ready ──its worker's next choice──> runs
//       │                                                      ^
//       └─────────────── taskyield, preemption ────────────────┘
//
// suspension.h says which thread takes which edge, and in which order. All edges except `notified`
// are steps of the worker that owns the context, on its own thread: a task continues on the thread
// where it began, tied or not (docs/decisions/0014). With TEFF_UNTIED=migrate, some untied tasks
// may continue on another thread (moving.h). A ready context waits in its worker's list of ready
// contexts. If the worker sleeps, in any wait, it is woken for the ready context.
//
// An untied task that waits leaves its stack for a ready context or for any task that may start. A
// tied task leaves its stack for a ready context only, because only its own descendants may start
// while it waits, and these run on top of it. Both kinds of tasks leave their stack at a taskyield
// in a polling loop, and when they are preempted.
//
// The bottom of a context, below its first task, is a loop (`begin`). When the first task has
// ended, the worker does the first of the following that is possible: it leaves the context for a
// ready context; or it returns to its wait outside of tasks (at a barrier or the join), if it has
// left that wait for a ready context; or, because then the member's implicit task itself waits, it
// runs tasks and sleeps in this loop.
//
// All this applies to one member. While the member's worker is in a nested region, the worker acts
// as another member, and returns to the tasks outside only when the nested region has ended. So a
// member's nested team is never in use twice. team::Context holds the state of a context; the lock
// depth (sync/held_locks.h) belongs to the task.
//
// In a recording, a worker's records are in the order of their ends, even if they come from several
// contexts: a worker never leaves a context in the middle of a record.
//
// If no stack is available, a task waits in place, and its own descendants run on top of it.
//
// fork(). In the child, the contexts of the forking thread still exist; the contexts of other
// threads do not. In an orphaned team (region/after_fork.h), every wait, even that of a suspended
// task, ends when there is nothing to run.
#pragma once

#include "task/eligible.h"
#include "task/events.h"
#include "task/moving.h"
#include "task/next.h"
#include "task/suspension.h"

namespace teff::task {

// Counts a turn (team/turns.h). Called when the worker has gone from one task to another, or has
// looked for another task at a taskyield and found none.
inline void note_turn(team::Worker& worker) {
    if (worker.turns.turned() && TEFF_UNLIKELY(worker.probes != 0)) events::turned(worker);
}

// The Host of suspension.h in the runtime.
struct SuspendHost {
    using Worker = team::Worker;
    using Context = team::Context;
    using Other = task::Other;
    using AtBottomOfStack = task::AtBottomOfStack;
    static constexpr WaitKind kAtBottom = WaitKind::kOutsideOfTasks;

    using After = fiber::After;
    static constexpr After kNothingToDo = {[](void*) {}, nullptr};

    template <class Condition> static void wait(Worker& worker, Condition& at_bottom);
    template <class Condition> static Other find_unnotified(Worker& worker, const Condition&) {
        return task::find_unnotified(worker);
    }
    static void run(Worker& worker, Task& task);
    static Worker& run_first(Worker& worker, Task& task);
    static void before_leaving(Worker& worker);
    static void keep(Worker& worker, Context& self);
    static bool may_move(Worker& worker, Context& self) { return contexts_move() && try_let_move(worker, self); }
    static void adopt(Worker& worker, Context& context) { task::adopt(worker, context); }
    static void has_departed(Context& context) { task::has_departed(context); }
    static void offer(Context& context) { team::offer(context); }
    // Not inlined: the thread may be another one than before the switch, and compilers keep
    // addresses of thread-local variables.
    [[gnu::noinline]] static void take_back(Worker& worker, Context& self);
    static void departs(Worker& worker);
    static bool is_barred(Worker& worker) { return task::is_barred(worker); }
    static void await_end_of_bar(Worker& worker) { task::await_end_of_bar(worker); }
    static void stop_awaiting_end_of_bar(Context& context) { task::stop_awaiting_end_of_bar(context); }
    static void start(Context& from, Context& to, After after);
    static void switch_to(Context& from, Context& to, After after);
    static void stands_on(Worker& worker) { preempt::changed_stack(worker.target); }
    static void begins(Worker& worker, Context& fresh);
    static void ends(Worker& worker, Context& context);
    static void give_back(Context& fresh) { team::give_back_context(fresh); }
    [[noreturn]] static void leave_for(Worker& worker, Context& to) { team::leave_context_for(worker, to); }
};

using Suspension = SuspensionOver<SuspendHost>;
extern template struct SuspensionOver<SuspendHost>; // suspend.cpp

// If `caller` may move, the caller asks its context for the worker afterwards.
template <class Condition>
void leave_until_notified(team::Worker& worker, Condition& condition, const Other& other,
                          Caller caller = Caller::kStays) {
    Suspension::leave_until_notified(worker, condition, other, caller);
}
inline void give_way(team::Worker& worker, const Other& other, Goes goes, Caller caller = Caller::kStays) {
    Suspension::give_way(worker, other, goes, caller);
}
inline void leave_outside(team::Worker& worker, const Other& other) { Suspension::leave_outside(worker, other); }

} // namespace teff::task
