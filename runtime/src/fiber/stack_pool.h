// SPDX-License-Identifier: Apache-2.0
//
// StackPool: contexts that have a stack, for the whole process. StackCache: one thread's own few of
// them.
//
//     mapped ──take──> in use ──give_back──> cached ──cache full──> warm ──tend──> cold, or unmapped
//                        └<──────take────────────┘<─────cache empty──┴──────────────┘
//
// Each stack is a mapping with a guard below, on which an overflow faults. The context's record
// lies at its top, so the page of the first frames holds it as well. The pool owns all mappings.
// Nothing here calls malloc.
//
// Memory. A stack that was never deep costs one page; page tables and the kernel's two mappings add
// about 1 KiB at 256 KiB per stack. 10,000 contexts that wait in a shallow frame hold 40 MB
// (stack_pool_test.cpp counts the pages). Stacks are never huge pages. A cached stack keeps its
// pages, and so does one that goes from a cache to the pool: a program that leaves a thousand tasks
// in the middle, over and over, makes a thousand stacks once. A thread that has slept for a while
// tends the pool: half of those that nobody has needed since the last time (kLeastTended to
// kMostTended) are unmapped; `idle_limit` of them stay, cold: they have given all pages back but
// the one with the record (MADV_DONTNEED: what the kernel counts falls at once; with MADV_FREE it
// would look like a leak until memory is short). So thousands have gone after a second in which
// some thread sleeps. A process whose threads never sleep keeps what it has had in use. Stacks that
// a thread hands over when it ends do not stay warm.
//
// Mappings. One that is made for a stack holds a few more, half as many as there are and
// kMostAtATime at most. They are unmapped one by one.
//
// Limit. At most `limit` contexts exist at a time, and take() returns null beyond: the caller waits
// in place. So it does if the system refuses a mapping, or if contexts do not work here (shadow
// stacks). Stacks in other threads' caches, kMost for each, are not counted as free.
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
        unsigned idle_limit = 64; // of those, idle ones that the pool keeps for good
    };

    struct Counts {
        std::uint64_t made;    // ever
        std::uint64_t refused; // how often take() returned null
        unsigned existing;     // in_use + cached + idle
        unsigned in_use;
        unsigned cached; // by threads
        unsigned idle;   // in the pool, warm or cold
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

    static constexpr std::uint64_t kTendEvery_ns = 20'000'000;

    // One load, mostly. A thread that is about to sleep: true if there are warm stacks in the pool
    // and nobody else tends them. Then it sleeps for kTendEvery_ns at most, and calls `tend`.
    [[nodiscard]] bool try_begin_to_tend() {
        return TEFF_UNLIKELY(warm_.load(std::memory_order_relaxed) != 0) &&
               !is_tended_.exchange(true, std::memory_order_relaxed);
    }
    // `slept_long`: for as long as that; else it only leaves it to others.
    void tend(bool slept_long) TEFF_EXCLUDES(lock_);

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

    static constexpr unsigned kMostAtATime = 8, kLeastTended = 64, kMostTended = 512;
    static constexpr unsigned kPartAtATime = 64; // of the limit: others could not get at what one thread has cached

    // New contexts, up to kMostAtATime: how many it stored into `contexts`. None, and counted, at
    // the limit.
    unsigned make(PooledContext** contexts) TEFF_EXCLUDES(lock_);
    // How many may be made now; they exist from here on.
    unsigned reserve() TEFF_EXCLUDES(lock_);
    // Of at most `wanted` idle contexts the number that it stored into `contexts`.
    unsigned take_idle(PooledContext** contexts, unsigned wanted) TEFF_EXCLUDES(lock_);
    void put_warm(PooledContext* const* contexts, unsigned count) TEFF_EXCLUDES(lock_);
    // Their pages go back, and those that are too many.
    void put_cold(PooledContext* const* contexts, unsigned count) TEFF_EXCLUDES(lock_);
    void put_cold(PooledContext& context) TEFF_EXCLUDES(lock_);
    // Of the warm ones so many that nobody has needed since the last call; linked by next_.
    PooledContext* take_unneeded() TEFF_EXCLUDES(lock_);
    void add(StackCache& cache) TEFF_EXCLUDES(lock_);
    void remove(StackCache& cache) TEFF_EXCLUDES(lock_);

    // How many it has mapped, side by side: all or none.
    unsigned map(PooledContext** contexts, unsigned count) const;
    PooledContext* make_at(char* bottom) const;
    void unmap(PooledContext& context) const;
    void enter(PooledContext& context) TEFF_REQUIRES(lock_);
    void forget_idle() TEFF_REQUIRES(lock_);
    void strike_out(PooledContext& context) TEFF_REQUIRES(lock_);

    std::size_t stack_bytes_ = 0, guard_bytes_ = 0;
    unsigned limit_ = 0, idle_limit_ = 0;
    Slot* slots_ = nullptr; // `limit_` of them

    sync::Mutex lock_;
    unsigned slots_used_ TEFF_GUARDED_BY(lock_) = 0;
    std::uintptr_t free_slot_ TEFF_GUARDED_BY(lock_) = kNoFreeSlot; // a link
    PooledContext* idle_warm_ TEFF_GUARDED_BY(lock_) = nullptr;
    PooledContext* idle_cold_ TEFF_GUARDED_BY(lock_) = nullptr;
    unsigned cold_ TEFF_GUARDED_BY(lock_) = 0;
    unsigned fewest_warm_ TEFF_GUARDED_BY(lock_) = 0;     // since the last time that somebody tended them
    StackCache* caches_ TEFF_GUARDED_BY(lock_) = nullptr; // those that have held a context
    Counts counts_ TEFF_GUARDED_BY(lock_) = {};           // but for in_use, cached and idle
    // Relaxed: whether it is worth to tend; written under the lock.
    std::atomic<unsigned> warm_{0};
    std::atomic<bool> is_tended_{false}; // relaxed: keeps a second thread from it, no more
};

class StackCache {
  public:
    static constexpr unsigned kMost = 8;

    explicit constexpr StackCache(StackPool& pool) : pool_(&pool) {}
    StackCache(const StackCache&) = delete;
    StackCache& operator=(const StackCache&) = delete;

    // HOT take_and_give_back: budget 3 ns. Null: none is available; wait in place.
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

// What a stack needs at least: 16 KiB, and space for the frame of a signal.
std::size_t least_stack_bytes();

// A third of the mappings that a process may have, so that contexts, at two each, leave a third.
unsigned default_limit();

} // namespace teff::fiber
