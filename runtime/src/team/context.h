// SPDX-License-Identifier: Apache-2.0
//
// Context: what a worker runs tasks on, a stack; and who is notified when something has come about
// that a task on it waits for.
//
// A worker begins on the context that stands for its thread's own stack (Worker::base). When the
// task on it has to wait and other work exists, the worker leaves it there and goes on with a
// context from the pool (contexts.h). A context never changes its worker: that one, and no other,
// comes back to it. So counts that a task keeps plainly (SplitCount) belong to its context. While
// it is left it belongs to a member, too: the one whose task waits there.
//
// Owned by its worker; the record is never freed but reused, so a late notification finds a valid
// one. Its waiter bears notifications that are not for it.
#pragma once

#include "fiber/stack_pool.h"
#include "sched/lane.h"
#include "team/notification.h"
#include "team/ready_contexts.h"

namespace teff::task {
struct Task;
struct Taskgroup;
} // namespace teff::task

namespace teff::team {

struct Member;
struct Team;
struct Worker;

struct Context {
    explicit Context(Worker& on) : worker(on) {}

    Worker& worker;
    fiber::PooledContext* pooled = nullptr; // its stack; null: the thread's own
    Notification notification;

    // Its worker's. What it comes back to, while it is left:
    Member* member = nullptr;
    task::Task* task = nullptr;
    sched::Mark since;
    std::int32_t priority = 0;   // of that task
    std::int32_t locks_held = 0; // by that task: sync/held_locks.h
    std::uint32_t held = 0;      // the same: preempt/hold.h
    // In the list of those that wait (Member::suspended): those with a tied task first, by its
    // depth.
    const task::Task* tied = nullptr;       // the innermost tied task on it; null: none
    const task::Taskgroup* group = nullptr; // for whose end its task waits, or null
    std::uint32_t tied_depth = 0;
    Context* after = nullptr;
    Context** link = nullptr;  // null: in no list
    PlaceInLine<Context> line; // among the ready ones; or in the list of free records

    task::Task* first = nullptr; // what it is to run when it starts
    Team* team = nullptr;        // in which it started: that task's
    unsigned further = 0;        // how many tasks of the member's own it may run after that

    inline fiber::Context& stack(); // worker.h

    // Any thread.
    inline void notify(); // worker.h
};

using ReadyContexts = ReadyContextsOver<base::RealAtomics, Context>;

} // namespace teff::team
