// SPDX-License-Identifier: Apache-2.0
//
// Worker: one thread that takes part in OpenMP. Either the runtime has started the thread (a pool
// worker), or the program has (the initial thread, or any other pthread).
//
// A thread owns its worker as long as the thread lives. The record of a worker is never freed but
// reused, so a late unpark of a worker whose thread has ended finds a valid parker. Each section of
// the fields says which threads may access them.
//
// current_worker() returns the calling thread's worker. The result stays valid across a switch of
// contexts, except where a context may move to another worker (task/moving.h): there, the caller
// asks its context for the worker afterwards.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.h"
#include "idle/spin_history.h"
#include "mem/block_cache.h"
#include "preempt/preempt.h"
#include "probe/probes.h"
#include "sync/parker.h"
#include "team/context.h"
#include "team/ids.h"
#include "team/inbox.h"
#include "team/turns.h"

namespace teff::task {
struct Footprint;
struct Task;
struct Taskgroup;
} // namespace teff::task
struct teff_stat_worker;
namespace teff::probe::trace {
class Stream;
}
namespace teff::probe::ompt {
struct TaskRecord;
struct ThreadRecord;
} // namespace teff::probe::ompt

namespace teff::team {

struct Member;
using Inbox = InboxOver<base::RealAtomics, Member>;

extern constinit fiber::StackPool stack_pool; // shared by all workers: contexts.cpp

inline constexpr unsigned kUnbound = ~0u; // the place of a thread that was not bound to a place

// Tasks of one parent and group that have ended on a worker, and that the worker has not reported
// yet: task/ends.h.
struct EndedTasks {
    task::Task* parent = nullptr;
    task::Taskgroup* group = nullptr;
    Member* member = nullptr;
    std::uint32_t tasks = 0;
};

struct StackBounds {
    const void* low = nullptr;
    const void* high = nullptr;
};

// Whether the thread's own stack is larger than a context's; set by contexts.cpp.
enum class OwnStack : std::uint8_t { kUnknown, kFits, kLarger };

struct alignas(base::kCacheLine) Worker {
    // Accessed by the worker's own thread only.
    Member* member = nullptr;   // its place in the innermost team; `nowhere` without a team
    task::Task* task = nullptr; // its current task
    Context* context = &base;   // its current context
    Ids task_ids;
    probe::Sinks probes; // the sinks that get its events; each event point tests it
    idle::SpinHistory spins;
    std::uint8_t yields = 0;             // taskyields in a row by one task, while no task ended (task/wait.cpp)
    std::uint64_t yielding = 0;          // the id of that task
    std::uint64_t finished_at_yield = 0; // Member::finished at the last of these taskyields
    bool starts_next = false;            // taskyield: the next turn goes to a task that has not begun
    bool may_spin = true;                // while it waits: no more threads are at work than there are processors
    std::uint32_t team_phase = 0;        // the value of Team::generation when this worker joined
    std::uint32_t team_size = 1;         // team size of the current region, or of the last one
    Worker* leader = nullptr;            // that region's leader. Copied here because a lingering
                                         // worker must not read either from the Team
    unsigned in_place = 0; // number of new tasks to run in place before it checks its queue again: task/full_queue.h
    // If the recording is the only sink: the worker's last id of a task when it chose to run the
    // next new task in place.
    static constexpr std::uint64_t kCallsNone = ~std::uint64_t{0};
    std::uint64_t calls_after = kCallsNone;
    std::uintptr_t in_place_above = 0; // the middle of its current stack; 0: not known
    StackBounds own_bounds;            // bounds of its thread's own stack; set at the first request
    OwnStack own_stack_size = OwnStack::kUnknown;
    EndedTasks ends;
    mem::BlockCache blocks;
    Ids instance_ids;                          // ids of regions and loops
    probe::trace::Stream* trace = nullptr;     // set if it may be recorded; it is now if `probes` has kTrace
    teff_stat_worker* stat = nullptr;          // set if `probes` has kStat
    void* trace_chunk = nullptr;               // at a fork: the chunk in which `trace` stored records
    probe::ompt::ThreadRecord* ompt = nullptr; // set if `probes` has kOmpt
    unsigned bound_place = kUnbound;           // the place to which its thread is bound
    task::Footprint* footprint = nullptr;      // footprint of its next task: task/homes.h
    ClausesAhead ahead;                        // for its next region or league

    // Shared: set once, before other threads know the worker.
    std::uint32_t number = 0;        // 0, 1, 2, ... in order of first use; no two living workers share a number
    const Worker* initial = nullptr; // the worker of the initial thread for whose teams it was
                                     // started; itself if it is one
    Worker* next_free = nullptr;     // in the pool's list, guarded by the pool's lock

    // Remote: used by other threads to reach the worker.
    alignas(base::kCacheLine) sync::Parker parker;
    Inbox inbox; // pool workers: their next place arrives here

    // Its contexts (task/suspend.h). Accessed by its own thread only.
    fiber::Context own_stack;
    Context base{*this}; // the context for own_stack
    Context* free_contexts = nullptr;
    fiber::StackCache stacks{stack_pool};
    Turns turns;
    task::Task** at_once = nullptr; // the tasks that its outermost call of run_at_once has to run: task/at_once.cpp

    // Preemption (task/preemption.h). Accessed by its own thread, including its signal handler.
    // Requesters use `target` and read `parked`.
    std::atomic<bool> parked{false}; // kept only while preemption is on
    // Kept only while preemption is on: the priority of its current or next explicit task;
    // kOutsideOfTasks if there is none, or if this task is not preempted (preempt/task_code.h).
    static constexpr std::int32_t kOutsideOfTasks = INT32_MAX;
    std::atomic<std::int32_t> runs_at{kOutsideOfTasks};
    // Kept only while preemption is on: the current time minus `began` is the own run time of its
    // task, without the tasks that ran in between.
    base::Ticks began = 0;
    std::uint64_t raises_seen = 0;   // Scheduler::raises of its team at its last choice of what to do
    bool takes_moving = false;       // the next ready context of equal priority is one that moves: task/moving.h
    std::uint8_t times_left_out = 0; // number of run times not added since the last one that was: task/run_times.h
    preempt::Target target;
    Context* preempting_context = nullptr; // the handler's choice, for the switch that follows
    task::Task* preempting_task = nullptr;
    bool preempts_as_asked = false; // the handler served a request, not a tick
};

inline fiber::Context& Context::stack() {
    return pooled != nullptr ? static_cast<fiber::Context&>(*pooled) : worker().own_stack;
}

void make_ready(Context& suspended); // contexts.cpp

inline void Context::notify() { notify_and_wake(*this); }

namespace detail {
extern constinit thread_local Worker* this_worker [[gnu::tls_model("initial-exec")]];
TEFF_COLD Worker& adopt_this_thread();
} // namespace detail

// Returns the calling thread's worker. The first call on a thread that the program started makes
// the thread a worker, with an initial task and a team of its own.
inline Worker& current_worker() {
    Worker* worker = detail::this_worker;
    return TEFF_LIKELY(worker != nullptr) ? *worker : detail::adopt_this_thread();
}

// Returns the calling thread's worker, or null if the thread has none yet.
inline Worker* current_worker_if_any() { return detail::this_worker; }

} // namespace teff::team
