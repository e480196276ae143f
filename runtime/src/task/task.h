// SPDX-License-Identifier: Apache-2.0
//
// Task: one explicit or implicit task.
//
// An explicit task is one block of its creator's BlockCache: this header, then a copy of the arguments. Blocks are type-stable (mem/).
//
//     created ──> waiting for dependences ──> ready ──> running ──> finished ──> block given back
//        │  (creator)        (last predecessor)  ^  (taker)   │  (same worker)
//        └───────────────────────────────────────┘            └─ detachable: finished by omp_fulfill_event, if that comes later
//
// The edges are taken by: creator: spawn (create.h); last predecessor: dependences.cpp; taker: whoever took it from a queue (run.h);
// its worker or the event's fulfiller: finish (run.h). A finished task whose children still run keeps its block until the last one
// ends (SplitCount). Children reach their parent through `parent`, always valid while the child is unfinished.
//
// Who may touch what: the creator until the task is queued; then the worker that runs it; `children` see SplitCount. The
// Peekable fields (parent, id, parent_id, depth, group) may be read by thieves that consider taking it, even while it is being recycled:
// eligible.h says how that is made safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "icv/icv.h"
#include "mem/block_cache.h"
#include "sched/policy.h"
#include "sync/split_count.h"

namespace teff::team {
struct Worker;
struct Team;
} // namespace teff::team

namespace teff::task {

struct Taskgroup;
struct DependNode;
struct Detachment;
class DependTable;

// A field that thieves may read while its owner writes it; the reader validates what it read by other means.
// [peek-1] A recycled block gets its new id first (create.h), and a reader looks at the id last (eligible.h): stores here release,
// loads acquire, so whoever read any new field reads the new id, too.
template <class T> class Peekable {
  public:
    T get() const { return value_.load(std::memory_order_acquire); } // [peek-1]
    operator T() const { return get(); }
    T operator->() const { return get(); }
    Peekable& operator=(T value) {
        value_.store(value, std::memory_order_release); // [peek-1]
        return *this;
    }
    Peekable& operator=(const Peekable& other) { return *this = other.get(); }

  private:
    std::atomic<T> value_;
};

enum TaskFlag : std::uint16_t {
    kUntied = 1,
    kFinal = 2, // its descendants are included tasks
    kDetachable = 4,
    kFinished = 8, // its body is over (home worker)
    kImplicit = 16,
    kUndeferred = 32,  // its creator waits for it
    kArgsOutside = 64, // the arguments did not fit into the block
    kTaskloop = 128,
    kCountsAsChild = 256, // its parent and its team count it
    kDependent = 512,     // has a depend clause
    kConstructed =
        1024, // its arguments hold copies that the program constructed: its body must run, which destroys them
    kMergeable = 2048,
    kObserved = 4096,   // a tool's record stands between the header and the arguments
    kTarget = 8192,     // a target task
    kDiscarded = 16384, // cancelled before it began: its body does not run
    kComplete = 32768,  // detachable and undeferred: its creator need not wait for the event
};

struct Task : sched::Runnable {
    mem::BlockSize block_size;
    std::uint16_t flags;
    Peekable<std::uint32_t> depth; // generations since the implicit task
    std::uint32_t site;            // recording: of its construct, in its creator's stream
    void (*function)(void*);
    void* args;
    Peekable<Task*> parent;
    Peekable<std::uint64_t> id;
    Peekable<std::uint64_t> parent_id;
    Peekable<Taskgroup*> group; // the innermost taskgroup that it was created in, or null
    team::Worker* home;         // the worker that runs it
    sync::SplitCount children;  // unfinished child tasks
    const icv::TaskIcvs* icvs;  // inherited, until it changes one itself (icvs.h)
    sched::Mark started_at;     // its worker's lane as it was then: what came later are its descendants
    DependNode* depend_node;    // its own dependences, or null
    DependTable* depend_table;  // those among its children, or null
    Detachment* detachment;     // detachable: its event
};

static_assert(sizeof(Task) <= 192 - 32, "a small task with a few arguments must fit into the smallest block");

} // namespace teff::task
