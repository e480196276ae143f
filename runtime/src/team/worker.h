// SPDX-License-Identifier: Apache-2.0
//
// Worker: one thread that takes part in OpenMP, be it started by the runtime (a pool worker) or by
// the program (the initial thread, any other pthread).
//
// A worker is owned by its thread while that lives. The record is never freed but reused, so a late
// unpark of a worker that is gone finds a valid parker. The fields say who may touch them.
//
// current_worker() returns the calling thread's worker. Its answer stays right across a switch of
// contexts, since a context never leaves its thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.h"
#include "idle/spread.h"
#include "mem/block_cache.h"
#include "preempt/preempt.h"
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

extern constinit fiber::StackPool stack_pool; // of all workers: contexts.cpp

inline constexpr unsigned kUnbound = ~0u; // the place of a thread that was bound to none

// Tasks of one parent and group that have ended on a worker, and that it has yet to report:
// task/ends.h.
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

struct alignas(base::kCacheLine) Worker {
    // Owner: its own thread only.
    Member* member = nullptr;   // its place in the innermost team; `nowhere` if it is in none
    task::Task* task = nullptr; // what it runs just now
    Context* context = &base;   // and on what
    Ids task_ids;
    std::uint8_t probes = 0;    // of probe::Probe: the sinks that its events go to; what every event point tests
    bool spins_long = false;    // its last sleep was short: idle/limits.h
    std::uint8_t yields = 0;    // taskyield: in a row by one task, while none ended (task/wait.cpp)
    std::uint64_t yielding = 0; // the id of that task
    std::uint64_t finished_at_yield = 0; // Member::finished then
    bool starts_next = false;            // taskyield: whether a task that starts has the next turn, or one that goes on
    bool may_spin = true;                // while it waits: no more threads at work than processors
    std::uint32_t team_phase = 0;        // Team::generation as it was when this worker joined
    std::uint32_t team_size = 1;         // of the region that it takes part in, or took part in last, and
    Worker* leader = nullptr;            // that region's leader: a lingering worker may not read the Team for them
    unsigned in_place = 0; // new tasks that are run in place before its queue is looked at again: task/full_queue.h
    std::uintptr_t in_place_above = 0; // the middle of the stack that it is on; 0: not known
    StackBounds own_bounds;            // of its thread's own stack, once somebody has asked
    EndedTasks ends;
    mem::BlockCache blocks;
    Ids instance_ids;                          // of regions and loops
    probe::trace::Stream* trace = nullptr;     // if `probes` has kTrace
    teff_stat_worker* stat = nullptr;          // if `probes` has kStat
    void* trace_chunk = nullptr;               // when it forked: where that stored
    probe::ompt::ThreadRecord* ompt = nullptr; // if `probes` has kOmpt
    unsigned bound_place = kUnbound;           // where its thread is
    idle::Spread spread;
    task::Footprint* footprint = nullptr; // told of its next task: task/homes.h

    // Shared: set once before others know the worker.
    std::uint32_t number = 0;    // 0, 1, 2, ... in order of first use; never two living workers with the same
    Worker* next_free = nullptr; // in the pool's list, under the pool's lock

    // Remote: how others reach it.
    alignas(base::kCacheLine) sync::Parker parker;
    Inbox inbox; // pool workers: their next place
    idle::GaveWay gave_way;

    // Owner: its contexts (task/suspend.h).
    fiber::Context own_stack;
    Context base{*this}; // stands for that
    Context* free_contexts = nullptr;
    fiber::StackCache stacks{stack_pool};
    Turns turns;

    // Preemption (task/preemption.h). Owner, its signal handler included; requesters: `target`, and
    // they read `parked`.
    std::atomic<bool> parked{false}; // only kept while preemption is on
    preempt::Target target;
    Context* preempting_context = nullptr; // chosen by the handler, for the switch that follows
    task::Task* preempting_task = nullptr;
};

inline fiber::Context& Context::stack() {
    return pooled != nullptr ? static_cast<fiber::Context&>(*pooled) : worker.own_stack;
}

void make_ready(Context& suspended); // contexts.cpp

inline void Context::notify() { notify_and_wake(*this); }

namespace detail {
extern constinit thread_local Worker* this_worker [[gnu::tls_model("initial-exec")]];
TEFF_COLD Worker& adopt_this_thread();
} // namespace detail

// This thread's worker. The first call on a thread of the program's own makes it one, with an
// initial task and a team of its own.
inline Worker& current_worker() {
    Worker* worker = detail::this_worker;
    return TEFF_LIKELY(worker != nullptr) ? *worker : detail::adopt_this_thread();
}

// This thread's worker if it has one already.
inline Worker* current_worker_if_any() { return detail::this_worker; }

} // namespace teff::team
