// SPDX-License-Identifier: Apache-2.0
//
// Contexts that move: with TEFF_UNTIED=migrate, an untied task that waits, yields or was preempted
// may continue on another thread of its team (docs/decisions/0042).
//
// A context is movable if nothing but one untied task is on its stack, and if this task has nothing
// that belongs to its thread (try_let_move). For that purpose an untied task starts on a context of
// its own, where it would otherwise start on top of an implicit task (run_specially). suspension.h
// has the states of a context that moves, and says who takes which step.
//
//   Who may take such a context: its home, that is the member that has left it, in every wait in
//   which it may resume other contexts; and each member that waits outside of tasks, whose thread
//   has begun no tied task that has not ended. So constraint.h stays true: a tied task that begins
//   on the new thread begins after the context has come there, and the context counts as begun at
//   that moment.
//
//   What goes along: the stack with all registers, the control words for floating point, errno, the
//   C++ library's record of exceptions, the task with its children, taskgroups, dependences and
//   detached event (their counts name the context), its place in line, and its run time so far.
//
//   What is left behind: the queue of the context, which must be empty, and ends that the worker
//   kept, which it passes on before.
//
//   What keeps a context on its thread: a function of a library's as its task, a second task on its
//   stack (one that waits on top of another, an undeferred task, an implicit task of a nested
//   region), tasks in its queue, a held lock, a task reduction, an exception under way, a call from
//   the runtime into the program (`CallsBack`), waits for locks, dependences and events, a
//   preemption anywhere but in the program's own code, and a probe: a recording, counters, or a
//   tool.
//
// A task that is between two conditions of these is not harmed: it continues on its thread.
#pragma once

#include <cstdint>

#include "team/team.h"

namespace teff::task {

struct Task;

namespace detail {
extern constinit bool moving; // set when the library is loaded
}

// Returns true if contexts may move in this process.
inline bool contexts_move() { return detail::moving; }

// Decides whether contexts move, and says why not. Called when the library is loaded, after
// preempt::prepare.
void prepare_moving();

// Returns true if the task may begin as the only task of a movable context.
TEFF_COLD bool begins_movable(const team::Worker& worker, const Task& task);

// Runs the task at the bottom of the current context, and passes on the ends that are kept. Returns
// the worker on which the task has ended.
team::Worker& run_movable(team::Worker& worker, Task& task);

// Called when the current context was kept (suspend.h) and is about to be left. Returns true if
// another worker may continue there; then the context is prepared for that.
TEFF_COLD bool try_let_move(team::Worker& worker, team::Context& self);

// Called on the thread that has left the context, which moves, when it is on another stack.
TEFF_COLD void has_departed(const team::Context& context);

// Called by the worker that is about to continue in a context that moves.
TEFF_COLD void adopt(team::Worker& worker, team::Context& context);

// Returns the highest priority of the offers that the worker may take, or sched::kNoLevel.
TEFF_COLD std::int32_t highest_moving(team::Worker& worker);

// Takes a ready context of the highest priority: one of the member's line, or an offer. If
// `ancestor` is not null, only contexts whose task descends from it. Returns null if there is none.
TEFF_COLD team::Context* take_ready_or_moving(team::Worker& worker, const Task* ancestor);

// Returns a context that the worker has left and that moves, or null. Called in an orphaned team
// (region/after_fork.h), where no thread is left to notify it.
team::Context* find_unnotified_moving(const team::Worker& worker);

// Lives while the runtime calls the program in the middle of something: the context stays.
class CallsBack {
  public:
    explicit CallsBack(const team::Worker& worker) : context_(*worker.context) { ++context_.calls_back; }
    ~CallsBack() { --context_.calls_back; }
    CallsBack(const CallsBack&) = delete;
    CallsBack& operator=(const CallsBack&) = delete;

  private:
    team::Context& context_;
};

} // namespace teff::task
