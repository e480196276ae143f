// SPDX-License-Identifier: Apache-2.0
//
// Context: a stack that a worker runs tasks on. It is notified when something has happened that a
// task on it waits for.
//
// A worker begins on the context for its thread's own stack (Worker::base). When the task on it has
// to wait and other work exists, the worker may leave the context and go on with another one from
// the pool (contexts.h). A context never changes its worker: no other worker comes back to it. So
// counts that a task keeps without atomic operations (SplitCount) belong to its context. While a
// context is left, it also belongs to the member whose task waits on it.
//
// Its worker owns it. The record is never freed but reused, so a late notification finds a valid
// one; a waiter tolerates notifications that are not for it.
#pragma once

#include "fiber/stack_pool.h"
#include "sched/lane.h"
#include "team/notification.h"
#include "team/ready_contexts.h"

namespace teff::task {
struct Task;
} // namespace teff::task

namespace teff::team {

struct Context;
struct Member;
struct Team;
struct Worker;

// A tied task that has begun and not ended, and whose context was left: task/constraint.h. Its
// member's thread's.
struct TiedWait {
    const task::Task* task;
    std::uint64_t id;    // its
    std::uint32_t depth; // its
    Context* context;
    Member* member;
    std::uint64_t noted = 0;    // Member::contexts_so_far then
    TiedWait* before = nullptr; // of the same context
    TiedWait* outer = nullptr;  // of the same member: it has begun before
    TiedWait* inner = nullptr;  // and after
    Context* barred = nullptr;  // contexts that wait for it to be forgotten
};

struct Context {
    explicit Context(Worker& on) : worker(on) {}

    Worker& worker;
    fiber::PooledContext* pooled = nullptr; // its stack; null: the thread's own
    Notification notification;

    // Its worker's. What it comes back to, while it is left:
    Member* member = nullptr;
    task::Task* task = nullptr;
    sched::Lane::Queue* queue = nullptr; // of the tasks made on it; null: none yet
    sched::Mark since = 0;
    std::int32_t priority = 0;   // of that task
    std::int32_t locks_held = 0; // by that task: sync/held_locks.h
    std::uint32_t held = 0;      // the same: preempt/hold.h
    Context* after = nullptr;    // among those that have been left (Member::suspended)
    Context** link = nullptr;    // null: not among them
    PlaceInLine<Context> line;   // among the ready ones; or in the list of free records

    // The constraints, task/constraint.h:
    const Member* started_for = nullptr; // whose tasks it began with; null: it stands for a thread's own stack
    std::uint64_t born = 0;              // Member::contexts_so_far then
    TiedWait* tied = nullptr;            // the innermost of its tied tasks that have been noted
    Context* barred_next = nullptr;      // among those that wait for a note to be forgotten
    Context** barred_link = nullptr;     // null: not among them

    task::Task* first = nullptr; // what it is to run when it starts

    inline fiber::Context& stack(); // worker.h

    // Any thread.
    inline void notify(); // worker.h
};

using ReadyContexts = ReadyContextsOver<base::RealAtomics, Context>;

} // namespace teff::team
