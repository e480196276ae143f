// SPDX-License-Identifier: Apache-2.0
//
// StackPool: contexts that have a stack, for the whole process. StackCache: one thread's own few of
// them.
//
//     mapped ──take──> in use ──give_back──> cached ──cache full──> idle ──pool full──> unmapped
//                        └<──────take────────────┘<──────────cache empty─────────────┘
//
// Each stack is a mapping with a guard below, on which an overflow faults. The context's record
// lies at its top, so the page of the first frames holds it as well. The pool owns all mappings.
// Nothing here calls malloc.
//
// Memory. A stack that was never deep costs one page; page tables and the kernel's two mappings add
// about 1 KiB at 256 KiB per stack. 10,000 contexts that wait in a shallow frame hold 40 MB
// (stack_pool_test.cpp counts the pages). Stacks are never huge pages. A cached stack keeps its
// pages. One that goes from a cache to the pool gives them all back, but for the one with the
// record (MADV_DONTNEED: what the kernel counts falls at once; with MADV_FREE it would look like a
// leak until memory is short). A thread that will sleep for long can call hand_over_all.
//
// Limit. At most `limit` contexts exist at a time, and take() returns null beyond: the caller waits
// in place. So it does if the system refuses a mapping, or if contexts do not work here (shadow
// stacks). Stacks that lie in other threads' caches, kMost for each, are not looked for.
//
// Who may touch what. A StackCache belongs to one thread; others read its count. A context may be
// given back to another thread's cache than it came from. The pool's lists are guarded by its
// mutex. The cached path takes no lock, makes no system call, and is one store away from whole at
// any time. It is not reentrant: a signal handler may take_cached() if it interrupted the program's
// own code.
//
// fork(). The child has all mappings, and one thread. drop_all_in_child unmaps what that thread
// does not keep. The list of mappings changes by one store at a time, so it is whole whenever the
// fork came; a stack that another thread was mapping or unmapping just then stays mapped and is
// forgotten.
//
// May block on the mutex, once per kMost / 2 contexts or so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.h"
#include "fiber/context.h"
#include "sync/mutex.h"

namespace teff::fiber {

class StackCache;

// A context with a stack from a pool; made by the pool alone.
class PooledContext : public Context {
  private:
    friend class StackPool;
    friend class StackCache;

    PooledContext(void* bottom, void* top) : Context(bottom, top) {}

    PooledContext* next_ = nullptr;    // in the pool's list of idle ones
    StackCache* returns_to_ = nullptr; // between returning() and the switch
    unsigned slot_ = 0;                // in the pool's table
    unsigned valgrind_id_ = 0;
};

class StackPool {
  public:
    struct Settings {
        std::size_t stack_bytes;  // OMP_STACKSIZE; rounded up to pages, at least least_stack_bytes()
        unsigned limit = 0;       // contexts that exist at a time; 0: default_limit()
        unsigned idle_limit = 64; // of those, idle ones that the pool keeps
    };

    struct Counts {
        std::uint64_t made;    // ever
        std::uint64_t refused; // how often take() returned null
        unsigned existing;     // in_use + cached + idle
        unsigned in_use;
        unsigned cached; // by threads
        unsigned idle;   // in the pool
        unsigned peak;   // of existing
    };

    constexpr StackPool() = default;
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;

    // Before the first take(); until then there are no contexts. False: there will be none, as they
    // do not work in this process, or there is no memory for the table of mappings.
    bool open(const Settings& settings);

    // Of one stack, after rounding, with the context's record.
    std::size_t stack_bytes() const { return stack_bytes_; }
    unsigned limit() const { return limit_; }

    // Exact if no other thread takes or gives back meanwhile.
    Counts counts() TEFF_EXCLUDES(lock_);

    // In a forked child, by its only thread, whose caches were forgotten (StackCache::forget_all):
    // unmaps all contexts but the one that the caller stands on, and those of which `keep` says
    // true.
    void drop_all_in_child(bool (*keep)(const Context& context, void* argument), void* argument);

    // Unmaps everything. No context is in use, and all caches were handed over. For tests.
    void close();

  private:
    friend class StackCache;
    // 0: never used. Even: a PooledContext. Odd: a link to the next free slot.
    using Slot = std::atomic<std::uintptr_t>;
    static constexpr std::uintptr_t kNoFreeSlot = ~std::uintptr_t{0};

    // Null, and counted, at the limit.
    PooledContext* take_or_map() TEFF_EXCLUDES(lock_);
    // Of at most `wanted` idle contexts the number that it stored into `contexts`.
    unsigned take_idle(PooledContext** contexts, unsigned wanted) TEFF_EXCLUDES(lock_);
    void put_idle(PooledContext* const* contexts, unsigned count) TEFF_EXCLUDES(lock_);
    void add(StackCache& cache) TEFF_EXCLUDES(lock_);
    void remove(StackCache& cache) TEFF_EXCLUDES(lock_);

    PooledContext* map() const;
    void unmap(PooledContext& context) const;
    void enter(PooledContext& context) TEFF_REQUIRES(lock_);
    void strike_out(PooledContext& context) TEFF_REQUIRES(lock_);

    std::size_t stack_bytes_ = 0, guard_bytes_ = 0;
    unsigned limit_ = 0, idle_limit_ = 0;
    Slot* slots_ = nullptr; // `limit_` of them

    sync::Mutex lock_;
    unsigned slots_used_ TEFF_GUARDED_BY(lock_) = 0;
    std::uintptr_t free_slot_ TEFF_GUARDED_BY(lock_) = kNoFreeSlot; // a link
    PooledContext* idle_ TEFF_GUARDED_BY(lock_) = nullptr;
    StackCache* caches_ TEFF_GUARDED_BY(lock_) = nullptr; // those that have held a context
    Counts counts_ TEFF_GUARDED_BY(lock_) = {};           // but for in_use and cached
};

class StackCache {
  public:
    static constexpr unsigned kMost = 8;

    explicit constexpr StackCache(StackPool& pool) : pool_(&pool) {}
    StackCache(const StackCache&) = delete;
    StackCache& operator=(const StackCache&) = delete;

    // HOT take_and_give_back: budget 3 ns. Null: there is none to be had; wait in place.
    [[nodiscard]] PooledContext* take() {
        PooledContext* const cached = take_cached();
        return TEFF_LIKELY(cached != nullptr) ? cached : take_slow();
    }

    // Null if this thread has none at hand. No lock, no system call.
    [[nodiscard]] PooledContext* take_cached() {
        const unsigned count = count_.load(std::memory_order_relaxed); // its only writer is here
        if (TEFF_UNLIKELY(count == 0)) return nullptr;
        count_.store(count - 1, std::memory_order_relaxed);
        return cached_[count - 1];
    }

    // HOT take_and_give_back. Nothing runs on it, and nobody will switch to it.
    void give_back(PooledContext& context) {
        unsigned count = count_.load(std::memory_order_relaxed);
        if (TEFF_UNLIKELY(count == kMost || !known_to_pool_)) count = make_room();
        cached_[count] = &context;
        count_.store(count + 1, std::memory_order_relaxed);
    }

    // For leave_for: gives back the context that the caller stands on, once it has left it.
    After returning(PooledContext& self) {
        self.returns_to_ = this;
        return {&give_back_departed, &self};
    }

    // The thread ends, or sleeps for long: all go to the pool.
    void hand_over_all();

    // In a forked child, before StackPool::drop_all_in_child: the contexts are not this thread's
    // any more. For its own cache; those of the other threads are never used again.
    void forget_all();

  private:
    friend class StackPool;

    static void give_back_departed(void* context);
    TEFF_COLD PooledContext* take_slow();
    TEFF_COLD unsigned make_room();
    void become_known();

    StackPool* const pool_;
    std::atomic<unsigned> count_{0};
    bool known_to_pool_ = false;
    StackCache* next_ = nullptr; // in the pool's list, under its lock
    PooledContext* cached_[kMost] = {};
};

// What a stack needs at least: 16 KiB, and room for the frame of a signal.
std::size_t least_stack_bytes();

// A third of the mappings that a process may have, so that contexts, at two each, leave a third.
unsigned default_limit();

} // namespace teff::fiber
