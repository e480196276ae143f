// SPDX-License-Identifier: Apache-2.0
//
// Task: one explicit or implicit task.
//
// An explicit task is one block of its creator's BlockCache: this header, then a copy of the
// arguments. Blocks are type-stable (mem/).
//
//     created ──> waiting for dependences ──> ready ──> running ──> finished ──> block given back
//        │  (creator)        (last predecessor)  ^  (taker)   │  (same worker)
//        └───────────────────────────────────────┘            └─ detachable: finished by omp_fulfill_event, if that comes later
//
// The code of these transitions: the creator creates the task in create.h. The last predecessor
// makes the task ready in dependences.cpp. The taker, which took the task from a queue, runs the
// task in run.h. The same worker finishes the task in run.h; a detachable task is finished in
// detach.cpp, by its worker or by the event's fulfiller. A finished task whose children still run
// keeps its block until the last child ends (SplitCount), and until the blocks of its children are
// given back (`kept`).
//
// A child reaches its parent through `parent`, which is always valid while the child is unfinished.
// The `parent` of a finished task may name a farther ancestor: descent.h.
//
// Access to a task: until the task is queued, the creator may access it; after that, the worker
// that runs the task. There are four exceptions. For `children` see SplitCount. `home` is read by
// every worker that ends a child; only a worker on the home context finds its own context there.
// While a task runs, its queue link names the task below it on the worker (`below`). Thieves that
// consider taking the task may read the Peekable fields (parent, id, parent_id, depth, group,
// clauses), even while its block is being recycled: descent.h says how these reads are made safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "icv/icv.h"
#include "mem/block_cache.h"
#include "sched/runnable.h"
#include "sync/split_count.h"

namespace teff::team {
struct Context;
struct Team;
} // namespace teff::team

namespace teff::task {

struct Taskgroup;
struct DependNode;
struct Detachment;
struct Underway;
class DependTable;

// A field that thieves may read while the task's owner writes the field. The reader validates the
// value by other means.
// [peek-1] A recycled block gets its new id first (create.h), and a reader checks the id last
//          (descent.h). Stores here release and loads acquire, so a reader that has read any new
//          field also reads the new id afterwards.
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

using TaskFlags = std::uint32_t;

// The flags that come from a construct have the bit positions that GCC gives them, so the entry
// points for GCC's calls pass them on unchanged.
inline constexpr TaskFlags kUntied = 1u << 0;
inline constexpr TaskFlags kFinal = 1u << 1; // its descendants are included tasks
inline constexpr TaskFlags kMergeable = 1u << 2;
inline constexpr TaskFlags kDependent = 1u << 3; // has a depend clause
inline constexpr TaskFlags kParent = 1u << 4;    // counts children: the kParent fields are valid
inline constexpr TaskFlags kImplicit = 1u << 5;
inline constexpr TaskFlags kUndeferred = 1u << 6;   // its creator waits for the task
inline constexpr TaskFlags kArgsOutside = 1u << 7;  // the arguments did not fit into the block
inline constexpr TaskFlags kArgsBorrowed = 1u << 8; // an undeferred task that uses its creator's argument block
inline constexpr TaskFlags kTaskloop = 1u << 9;
inline constexpr TaskFlags kCountsAsChild = 1u << 10; // its parent and its team count the task
inline constexpr TaskFlags kConstructed =
    1u << 11; // the program constructed the arguments: the body must run, because it destroys them
inline constexpr TaskFlags kObserved = 1u << 12; // a tool's record follows the header
inline constexpr TaskFlags kDetachable = 1u << 13;
inline constexpr TaskFlags kTarget = 1u << 14;    // a target task
inline constexpr TaskFlags kDiscarded = 1u << 15; // cancelled before it began; its body is skipped
// Detachable and undeferred: the creator need not wait for the event.
inline constexpr TaskFlags kComplete = 1u << 16;
inline constexpr TaskFlags kOwnIcvs = 1u << 17; // has ICVs of its own: icvs.h
// The task ended before its descendants: `kept` of `parent` counts the task.
inline constexpr TaskFlags kKeepsParent = 1u << 19;
inline constexpr TaskFlags kWaitsOutside = 1u << 18; // an implicit task that waits at a barrier or has ended

// The task's function reaches no thread-local variable, so the constraints treat the task as untied
// (constraint.h). Set when the task begins.
inline constexpr TaskFlags kFree = 1u << 20;

// The task's function belongs to the entry point, and calls the program's function, whose address
// is kCodeAt bytes behind the beginning of the arguments.
inline constexpr TaskFlags kCodeInArgs = 1u << 21;
inline constexpr std::size_t kCodeAt = sizeof(void*);

// Detachable: the thread that makes the task ready runs it (at_once.h).
inline constexpr TaskFlags kAtOnce = 1u << 22;

// A bit of Task::kept: the task has ended, and its own link to an ancestor is final (run.cpp).
inline constexpr std::uint32_t kLeft = 1u << 31;

// The links of a free block lie at the block's beginning, and a thief may still read the block. So
// the fields that thieves read begin after these links.
inline constexpr std::size_t kPeekableFrom = 16;
static_assert(sizeof(mem::FreeBlock) <= kPeekableFrom);

struct Task : sched::Runnable {
    // Every taker reads these fields: one cache line.
    TaskFlags flags;
    // This field must not have offset 0 in Task, where the base class is: its offset is a multiple
    // of kPeekableFrom, and not 0.
    alignas(kPeekableFrom) Peekable<std::uint32_t> depth; // generations since the implicit task
    mem::BlockSize block_size;
    std::uint8_t args_at;           // offset of the arguments in the task, in units of 8 bytes
    Peekable<std::uint8_t> clauses; // the flags that thieves test: kUntied
    // Recording: how often the task has left its stack since its wait began; saturates at 255.
    std::uint8_t departures;
    void (*function)(void*);
    Peekable<Task*> parent;
    Peekable<std::uint64_t> id;
    Peekable<std::uint64_t> parent_id;
    Peekable<Taskgroup*> group; // the innermost taskgroup around its creation, or null

    // Few takers read these fields. While the task creates no tasks, this cache line stays in the
    // creator's cache.
    alignas(base::kCacheLine) const icv::TaskIcvs* icvs; // its parent's set, or its own: icvs.h
    union {
        DependNode* depend_node; // its node, if deferred and kDependent
        Underway* underway;      // undeferred: kept by an entry point between `begin` and `end` (run.h)
        std::int64_t outer;      // a sched::Mark, between begin_simply and end_simply
    };
    Detachment* detachment; // its event if kDetachable
    // Recording: the site of the task's construct, in its creator's stream.
    std::uint32_t site;
    // kParent: 1, plus the number of ended children whose blocks are kept; and the bit kLeft.
    std::atomic<std::uint32_t> kept;
    DependTable* depend_table; // kParent: the dependences between its children, or null
    std::atomic<team::Context*>
        home;                  // kParent: the context on which the task runs; null once its body is over. See ready_at
    sync::SplitCount children; // kParent: counts unfinished children

    // Returns the address of the arguments. Requires that the arguments have been placed.
    void* args() {
        void* here = place_of_args();
        return TEFF_LIKELY((flags & (kArgsOutside | kArgsBorrowed)) == 0) ? here : *static_cast<void**>(here);
    }
    const void* args() const { return const_cast<Task*>(this)->args(); }
    // Returns the program's function that the task runs, which stands for its code. Requires that
    // the arguments have been placed.
    const void* code() const {
        if (TEFF_LIKELY((flags & kCodeInArgs) == 0)) return reinterpret_cast<const void*>(function);
        return *reinterpret_cast<void* const*>(static_cast<const char*>(args()) + kCodeAt);
    }
    void* place_of_args() { return reinterpret_cast<char*>(this) + std::size_t{args_at} * 8; }

    // Returns the task below this task on the same worker. Requires that this task is running.
    Task* below() const { return static_cast<Task*>(next); }

    // For the counters: the time at which a task of a priority above 0 became ready; 0: not known.
    // Until the body begins, the time is stored in `home`, which is otherwise unused until then.
    void set_ready_at(base::Ticks when) {
        home.store(reinterpret_cast<team::Context*>(when), std::memory_order_relaxed);
    }
    base::Ticks ready_at() const { return reinterpret_cast<base::Ticks>(home.load(std::memory_order_relaxed)); }

    bool has_dependences() const { return (flags & (kDependent | kUndeferred)) == kDependent; }
    bool has_dependent_children() const { return (flags & kParent) != 0 && depend_table != nullptr; }
    // Returns true if no child of the task is unfinished. Called by the task's own worker only.
    bool children_ended() const { return TEFF_LIKELY((flags & kParent) == 0) || children.none_left(); }
};

static_assert(sizeof(Task) == 2 * base::kCacheLine);

} // namespace teff::task
