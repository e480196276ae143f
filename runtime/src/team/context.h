// SPDX-License-Identifier: Apache-2.0
//
// Context: a stack on which a worker runs tasks. A context is notified when the event has occurred
// for which a task on it waits.
//
// A worker begins on the context for its thread's own stack (Worker::base). When the task on a
// context has to wait and other work exists, the worker may leave the context and continue on
// another context from the pool (contexts.h). A context that has been left also belongs to the
// member whose task waits on it. The worker that has left a context is the only one that continues
// in it, except for contexts that move (TEFF_UNTIED=migrate, task/moving.h): a movable context that
// has been left may continue on another worker, which then is the context's worker. One worker at a
// time is on a context, and the counts that a task keeps without atomic operations (SplitCount)
// belong to the task's context, not to its worker.
//
// The record of a context is never freed but reused, so a late notification finds a valid record. A
// waiter tolerates notifications that are not meant for it.
//
// [moved-1] A worker that continues in a movable context stores itself as the context's worker
//           (relaxed), then changes the context's notification, and later arms the conditions of
//           its waits; both are read-modify-writes that release. A notifier makes a condition true
//           and changes the notification, both by read-modify-writes that acquire, and then loads
//           the worker. So a notifier that finds a wait armed finds the worker that waits, or a
//           later one, which looks at the condition after it has arrived.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
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

// The note of a tied task that has begun and not ended, and whose context was left
// (task/constraint.h). Accessed only by the thread of `member`.
struct TiedWait {
    const task::Task* task;
    std::uint64_t id;    // the task's id
    std::uint32_t depth; // the task's depth
    Context* context;
    Member* member;
    std::uint64_t noted = 0;    // the value of Member::contexts_so_far when this note was made
    TiedWait* before = nullptr; // the note made before this one on the same context
    TiedWait* outer = nullptr;  // of the same member: the note of the task that began before this one
    TiedWait* inner = nullptr;  // of the same member: the note of the task that began after this one
    Context* barred = nullptr;  // contexts that wait for the removal of this note
};

// Clauses that a compiler's code passes by calls of their own, before the construct. 0: not given.
struct ClausesAhead {
    unsigned num_threads = 0;
    unsigned proc_bind = 0; // an omp_proc_bind_t
    unsigned teams = 0;
    unsigned thread_limit = 0;
};

struct Context {
    explicit Context(Worker& on) : worker_(&on) {}

    // Returns the worker that is on the context, or has left it. May be called by any thread; the
    // worker of a movable context may change.
    Worker& worker() const { return *worker_.load(std::memory_order_relaxed); } // [moved-1]
    // Called by `now`, which is about to continue in the context.
    void set_worker(Worker& now) { worker_.store(&now, std::memory_order_relaxed); } // [moved-1]

    fiber::PooledContext* pooled = nullptr; // its stack; null: the thread's own
    Notification notification;

    // Accessed only by the context's worker. While the context is left, these fields hold the state
    // that the worker restores on its return:
    Member* member = nullptr;
    task::Task* task = nullptr;
    sched::Lane::Queue* queue = nullptr; // queue of the tasks created on this context; null: none yet
    sched::Mark since = 0;
    sched::Place place = sched::kNoPlace; // place of the last task with a priority that began on this context
    std::int32_t priority = 0;            // priority of `task`
    std::int32_t locks_held = 0;          // locks that `task` holds: sync/held_locks.h
    base::Ticks ran = 0;                  // while preemption is on: own run time of `task`
    std::int32_t runs_at = 0;             // while preemption is on: Worker::runs_at
    std::uint32_t held = 0;               // the hold word of `task`: preempt/hold.h
    ClausesAhead ahead;                   // while preemption is on: Worker::ahead
    Context* after = nullptr;             // next in the list of contexts that were left (Member::suspended)
    Context** link = nullptr;             // the pointer to this context in that list; null: not in the list
    PlaceInLine<Context> line;            // link among the ready contexts, or in the list of free records

    // The constraints, task/constraint.h:
    const Member* started_for = nullptr; // the member whose task was its first; null: it is a thread's own stack
    std::uint64_t born = 0;              // the value of Member::contexts_so_far when the context began
    TiedWait* tied = nullptr;            // the note of the innermost of its noted tied tasks
    Context* barred_next = nullptr;      // next in the list of contexts that wait for the removal of a note
    Context** barred_link = nullptr;     // the pointer to this context in that list; null: not in the list

    task::Task* first = nullptr; // the task to run when the context starts

    // task/moving.h:
    task::Task* root = nullptr;   // the task at the bottom, if the context may move; null: it stays
    std::uint32_t calls_back = 0; // the runtime's calls of the program, below which it holds a worker
    bool moves = false;           // was left, and another worker may continue in it
    bool may_move = false;        // is in the list of all contexts that ever had a `root`
    Context* next_movable = nullptr;

    inline fiber::Context& stack(); // worker.h

    // May be called by any thread.
    inline void notify(); // worker.h

  private:
    std::atomic<Worker*> worker_;
};

using ReadyContexts = ReadyContextsOver<base::RealAtomics, Context>;

} // namespace teff::team
