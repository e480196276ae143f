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
// The edges are taken by: creator: spawn (create.h); last predecessor: dependences.cpp; taker:
// whoever took it from a queue (run.h); its worker or the event's fulfiller: finish (run.h). A
// finished task whose children still run keeps its block until the last one ends (SplitCount), and
// until the blocks of its children are given back (`kept`).
// Children reach their parent through `parent`, always valid while the child is unfinished. That of
// a finished task may name a farther ancestor: descent.h.
//
// Who may touch what: the creator until the task is queued; then the worker that runs it;
// `children` see SplitCount; `home` is read by whoever ends a child, and only who runs on that
// context finds it to be its own. While a task runs, its link in queues says what lies below it on
// the worker (`below`). The Peekable fields (parent, id, parent_id, depth, group, clauses) may be
// read by thieves that consider taking it, even while it is being recycled: descent.h says how that
// is made safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

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
class DependTable;

// A field that thieves may read while its owner writes it; the reader validates what it read by
// other means.
// [peek-1] A recycled block gets its new id first (create.h), and a reader looks at the id last
// (eligible.h): stores here release, loads acquire, so whoever read any new field reads the new id,
// too.
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

// The flags that a construct gives a task stand where GCC has them: its door passes them as they
// are.
inline constexpr TaskFlags kUntied = 1u << 0;
inline constexpr TaskFlags kFinal = 1u << 1; // its descendants are included tasks
inline constexpr TaskFlags kMergeable = 1u << 2;
inline constexpr TaskFlags kDependent = 1u << 3; // has a depend clause
inline constexpr TaskFlags kParent = 1u << 4;    // it has created tasks that it counts: the fields for those are valid
inline constexpr TaskFlags kImplicit = 1u << 5;
inline constexpr TaskFlags kUndeferred = 1u << 6;   // its creator waits for it
inline constexpr TaskFlags kArgsOutside = 1u << 7;  // the arguments did not fit into the block
inline constexpr TaskFlags kArgsBorrowed = 1u << 8; // undeferred: the arguments are where its creator has them
inline constexpr TaskFlags kTaskloop = 1u << 9;
inline constexpr TaskFlags kCountsAsChild = 1u << 10; // its parent and its team count it
inline constexpr TaskFlags kConstructed =
    1u << 11; // its arguments hold copies that the program constructed: its body must run, which destroys them
inline constexpr TaskFlags kObserved = 1u << 12; // a tool's record stands between the header and the arguments
inline constexpr TaskFlags kDetachable = 1u << 13;
inline constexpr TaskFlags kTarget = 1u << 14;    // a target task
inline constexpr TaskFlags kDiscarded = 1u << 15; // cancelled before it began: its body does not run
inline constexpr TaskFlags kComplete = 1u << 16;  // detachable and undeferred: its creator need not wait for the event
inline constexpr TaskFlags kOwnIcvs = 1u << 17;   // its internal control variables are its own: icvs.h
inline constexpr TaskFlags kKeepsParent = 1u << 19; // it ended before its descendants: counts in the `kept` of `parent`
inline constexpr TaskFlags kWaitsOutside = 1u << 18; // implicit: it waits at a barrier, or has ended

// In Task::kept: it has ended, and its own link to an ancestor is final (run.cpp).
inline constexpr std::uint32_t kLeft = 1u << 31;

// A free block's links lie at its beginning, and a thief may still look at the block: what thieves
// read begins behind them.
inline constexpr std::size_t kPeekableFrom = 16;
static_assert(sizeof(mem::FreeBlock) <= kPeekableFrom);

struct Task : sched::Runnable {
    // What every taker reads: one cache line.
    TaskFlags flags;
    // Never at 0, where the base is: so at kPeekableFrom, or at a multiple of it.
    alignas(kPeekableFrom) Peekable<std::uint32_t> depth; // generations since the implicit task
    mem::BlockSize block_size;
    std::uint8_t args_at;           // in units of 8 bytes from the task's beginning
    Peekable<std::uint8_t> clauses; // of `flags`, those that thieves ask for: kUntied
    std::uint8_t departures;        // recording: how often it has left its stack since its wait began, or 255
    void (*function)(void*);
    Peekable<Task*> parent;
    Peekable<std::uint64_t> id;
    Peekable<std::uint64_t> parent_id;
    Peekable<Taskgroup*> group; // the innermost taskgroup that it was created in, or null

    // What few takers read: for a task that creates none this line stays with the creator.
    alignas(base::kCacheLine) const icv::TaskIcvs* icvs; // its parent's, or its own: icvs.h
    DependNode* depend_node;                             // its own dependences; if it is deferred and kDependent
    Detachment* detachment;                              // its event; if it is kDetachable
    std::uint32_t site;                                  // recording: of its construct, in its creator's stream
    std::atomic<std::uint32_t> kept; // kParent: 1, and the children whose blocks are kept though they have ended; kLeft
    DependTable* depend_table;       // kParent: the dependences among its children, or null
    std::atomic<team::Context*> home; // kParent: where it runs, null once its body is over
    sync::SplitCount children;        // kParent: unfinished child tasks

    // Where the arguments are; they have been placed.
    void* args() {
        void* here = place_of_args();
        return TEFF_LIKELY((flags & (kArgsOutside | kArgsBorrowed)) == 0) ? here : *static_cast<void**>(here);
    }
    void* place_of_args() { return reinterpret_cast<char*>(this) + std::size_t{args_at} * 8; }

    // While it runs: the task that it runs on top of.
    Task* below() const { return static_cast<Task*>(next); }

    bool has_dependences() const { return (flags & (kDependent | kUndeferred)) == kDependent; }
    bool has_dependent_children() const { return (flags & kParent) != 0 && depend_table != nullptr; }
    // The task's own worker: is no child of it unfinished?
    bool children_ended() const { return TEFF_LIKELY((flags & kParent) == 0) || children.none_left(); }
};

static_assert(sizeof(Task) == 2 * base::kCacheLine);

} // namespace teff::task
