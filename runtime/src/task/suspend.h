// SPDX-License-Identifier: Apache-2.0
//
// Suspending a task: it keeps its stack, and its worker goes on with another one.
//
// A task runs as a plain call on its worker's current context, and waits on top of it
// (sched/wait.h) as long as its descendants can be run there. When it finds none, but its worker
// could do something else, the worker leaves the context to it and goes on elsewhere: in a context
// whose task can go on, or with a task that starts on a fresh context. A task that never waits pays
// nothing for this.
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
// What the worker does next, wherever it looks for work: the ready context of the highest priority,
// unless a task that has not started has a higher one; then tasks. Hot tasks go before cold ones.
// A task beside which another one runs (run_beside), as it came upon that one, could go on as well:
// it does when that one has ended, or neither runs nor finds descendants to run.
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
// A context may span members: a task on it leads a region, in which the worker leaves it. What the
// context has yet to start (run_beside) is then of an outer team, and that team gets it back
// (Context::team). In the inner one nobody waits for it; or it counts as finished there but not as
// created, and that team is never quiet (region/team_protocol.h).
//
// In a recording the records of a worker stand in order of their ends, whatever context they come
// from: a context is never left in the middle of a record.
//
// If there is no stack to be had, a task waits in place. Its own descendants run on top of it; but
// while tied tasks are suspended from which it does not descend, as it is untied, some of them may
// not start before one of those ends. Then what descends from all of those runs on top of it, too:
// the innermost of them waits for nothing else.
//
// Beside a task that holds one of the program's locks nothing starts, and only its descendants go
// on: others might want the same lock, or begin a nested region that does, and keep the thread from
// the task that has it. Nor does anything start in a process that a tool watches.
// The task waits in place then.
//
// fork(). The contexts of the thread that forked stay, in the child, those of others are gone. In
// an orphaned team (region/after_fork.h) waits end when there is nothing to run: those of suspended
// tasks, too.
#pragma once

#include "task/eligible.h"
#include "task/events.h"
#include "team/contexts.h"

namespace teff::task {

// Something that a worker can do by the side of its current task: go on in a ready context, or
// start a task on a fresh one; or, if there is none, on top. Whoever has one goes to it, or puts it
// back.
struct Other {
    team::Context* context = nullptr;
    Task* starts = nullptr;

    explicit operator bool() const { return context != nullptr || starts != nullptr; }
};

// HOT taskwait. Is there a ready context that goes before any task that starts?
TEFF_COLD bool ready_is_first(team::Worker& worker);
inline bool others_first(team::Worker& worker) {
    return TEFF_UNLIKELY(worker.member->ready.any()) && ready_is_first(worker);
}

// For a wait inside a task; and its two halves.
// `group`: for whose end it waits, if it does for one.
TEFF_COLD Other find_for_fresh_stack(team::Worker& worker, sched::Look look, const Taskgroup* group = nullptr);
// The second for tasks above a priority.
inline constexpr std::int32_t kAnyPriority = INT32_MIN;
Other start_other(team::Worker& worker, sched::Look look, std::int32_t above = kAnyPriority,
                  const Taskgroup* group = nullptr);
Other find_ready(team::Worker& worker);
// A task of a higher priority than the current one's: it goes before that one's descendants.
TEFF_COLD Other find_above_current(team::Worker& worker, const Taskgroup* group);
Other find_ready_descendant(team::Worker& worker, const Taskgroup* group);
Other find_aside(team::Worker& worker);
// For a wait at ground.
Other find_for_ground(team::Worker& worker);

void put_back(team::Worker& worker, const Other& other);

// What is to become of the context that the worker leaves.
enum class Goes : std::uint8_t { kToHead, kToEnd }; // of the ready ones

// The worker has gone from one task to another, or has looked for one in vain at a taskyield:
// team/supervisor.h.
inline void note_turn(team::Worker& worker) {
    if (worker.supervisor.turned() && TEFF_UNLIKELY(worker.probes != 0)) events::turned(worker);
}

// The steps of leaving the current context. First the context gets to know what the worker comes
// back to, and whoever notifies it finds there what it needs; only then does its notification let
// it be ready. `depart` returns when the worker has come back; who stays after all calls `stay`.
void prepare_to_leave(team::Worker& worker);
void stay(team::Worker& worker);
void start_on_top(team::Worker& worker, Task& task);
void depart(team::Worker& worker, const Other& other);
// The task can go on at any time.
void give_way(team::Worker& worker, const Other& other, Goes goes);
// Runs a task that has been taken, and that can lie on top of the current one.
void run_on_top(team::Worker& worker, Task& task);
// Runs a task that has been taken, and for whose end the current one does not wait: so that must be
// able to go on, should the task have to wait. It is run on top if there is no stack to be had, if
// the current one holds one of the program's locks, and outside of regions, where nobody would come
// back to it. Up to `further` tasks that the member has made ready go with it, to save switches.
void run_beside(team::Worker& worker, Task& task, unsigned further = 0);
// The worker is outside of tasks, and comes back when it has nothing else to do.
void leave_ground(team::Worker& worker, const Other& other);

// The task goes on when it has been notified. The condition is one of sched/wait.h.
template <class Condition> void leave_until_notified(team::Worker& worker, Condition& condition, const Other& other) {
    if (other.context == nullptr) return start_on_top(worker, *other.starts);
    team::Context& self = *worker.context;
    self.notification.expect();
    if (!condition.try_arm()) return put_back(worker, other);
    prepare_to_leave(worker);
    if (self.notification.try_suspend()) {
        depart(worker, other);
    } else {
        stay(worker);
        put_back(worker, other);
    }
    condition.disarm();
}

} // namespace teff::task
