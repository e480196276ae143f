// SPDX-License-Identifier: Apache-2.0
//
// StackPool: all contexts of the process that have a stack. StackCache: a few of these contexts,
// kept by one thread.
//
//     mapped ──take──> in use ──give_back──> cached ──cache full──> warm ──tend──> cold, or unmapped
//                        └<──────take────────────┘<─────cache empty──┴──────────────┘
//
// Each stack is a mapping with a guard area below it; an overflow faults in the guard area. The
// context's record lies at the top of the stack, so the page that holds the first frames also holds
// the record. The pool owns all mappings. The code here does not call malloc.
//
// Memory. A stack whose frames were never deep costs one page; page tables and the kernel's two
// mappings add about 1 KiB at 256 KiB per stack. 10,000 contexts that wait in a shallow frame hold
// 40 MB (stack_pool_test.cpp counts the pages). Stacks never use huge pages. A cached stack keeps
// its pages, and so does a warm stack, which has gone from a full cache to the pool. So a program
// that repeatedly suspends a thousand tasks at a time makes a thousand stacks only once. A thread
// that has slept for a while tends the pool: it takes half of the warm stacks that no thread has
// needed since the pool was last tended (kLeastTended to kMostTended stacks at a time). Up to
// `idle_limit` of these stacks stay in the pool as cold stacks, which have given back all pages
// except the page with the record. The others of these stacks are unmapped. (Pages are given back
// by MADV_DONTNEED, because the kernel's count then falls at once; with MADV_FREE the count would
// look like a leak until memory is short.) So thousands of stacks are released within a second in
// which some thread sleeps. A process whose threads never sleep keeps the stacks that it has used.
// Stacks that a thread hands over when it ends become cold at once.
//
// Mappings. When a stack is needed, the new mapping also contains some further stacks. Their number
// is half the number of existing stacks, and kMostAtATime at most. Stacks are unmapped one by one.
//
// Limit. At most `limit` contexts exist at a time. Beyond the limit take() returns null, and the
// caller waits in place. take() also returns null if the system refuses a mapping, or if contexts
// do not work in this process (shadow stacks). Stacks in other threads' caches, up to kMost for
// each thread, are not available to the caller.
//
// Access. A StackCache belongs to one thread; other threads read its count. A context may be given
// back to a cache other than the cache from which it was taken. The pool's lists are guarded by the
// pool's mutex. The cached path takes no lock and makes no system call, and each of its changes is
// completed by a single store. The cached path is not reentrant: a signal handler may call
// take_cached() only if it interrupted the program's own code.
//
// fork(). The child has all mappings and one thread. drop_all_in_child unmaps the contexts that
// this thread does not keep. The table of mappings changes by one store at a time, so it is
// consistent at whatever moment the fork happens. A stack that another thread was mapping or
// unmapping at that moment stays mapped and is lost.
//
// [pool-1] The store of a record's address in the table (release) pairs with the load in a forked
//          child (acquire): a child of another thread that has the address has the whole record.
//
// The functions may block on the mutex, about once per kMost / 2 contexts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.h"
#include "fiber/context.h"
#include "sync/mutex.h"

namespace teff::fiber {

class StackCache;

// A context with a stack from a pool. Only the pool makes such contexts.
class PooledContext : public Context {
  private:
    friend class StackPool;
    friend class StackCache;

    PooledContext(void* bottom, void* top) : Context(bottom, top) {}

    PooledContext* next_ = nullptr;    // next in the pool's list of idle contexts
    StackCache* returns_to_ = nullptr; // set between returning() and the switch
    unsigned slot_ = 0;                // index in the pool's table
    unsigned valgrind_id_ = 0;
};

class StackPool {
  public:
    struct Settings {
        std::size_t stack_bytes;  // OMP_STACKSIZE; rounded up to pages, at least least_stack_bytes()
        unsigned limit = 0;       // the most contexts that may exist at a time; 0: default_limit()
        unsigned idle_limit = 64; // the most idle contexts that the pool keeps for good, cold
    };

    struct Counts {
        std::uint64_t made;    // number of contexts made so far
        std::uint64_t refused; // number of times that take() found no context
        unsigned existing;     // in_use + cached + idle
        unsigned in_use;
        unsigned cached; // in the caches of threads
        unsigned idle;   // in the pool, warm or cold
        unsigned peak;   // the highest value of `existing`
    };

    constexpr StackPool() = default;
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;

    // Called before the first take(); before that there are no contexts. Returns false if there
    // will be no contexts: contexts do not work in this process, or there is no memory for the
    // table of mappings.
    bool open(const Settings& settings);

    // The size of one stack in bytes, after rounding, including the context's record.
    std::size_t stack_bytes() const { return stack_bytes_; }
    unsigned limit() const { return limit_; }

    // The result is exact if no other thread takes or gives back a context meanwhile.
    Counts counts() TEFF_EXCLUDES(lock_);

    static constexpr std::uint64_t kTendEvery_ns = 20'000'000;

    // Called by a thread that is about to sleep. Returns true if there are warm stacks in the pool
    // and no other thread tends them. In this case the caller must sleep for kTendEvery_ns at most
    // and then call `tend`. Mostly the cost is one load.
    [[nodiscard]] bool try_begin_to_tend() {
        return TEFF_UNLIKELY(warm_.load(std::memory_order_relaxed) != 0) &&
               !is_tended_.exchange(true, std::memory_order_relaxed);
    }
    // `slept_long`: the caller has slept for kTendEvery_ns. If not, `tend` only permits other
    // threads to tend the pool again.
    void tend(bool slept_long) TEFF_EXCLUDES(lock_);

    // Called in a forked child by its only thread, after that thread's cache was emptied
    // (StackCache::forget_all). Unmaps all contexts except the caller's current context and the
    // contexts for which `keep` returns true.
    void drop_all_in_child(bool (*keep)(const Context& context, void* argument), void* argument);

    // Unmaps everything. Requires that no context is in use and that all caches were handed over.
    // For tests only.
    void close();

  private:
    friend class StackCache;
    // 0: never used. Even: the address of a PooledContext. Odd: a link to the next free slot.
    using Slot = std::atomic<std::uintptr_t>;
    static constexpr std::uintptr_t kNoFreeSlot = ~std::uintptr_t{0};

    static constexpr unsigned kMostAtATime = 8, kLeastTended = 64, kMostTended = 512;
    static constexpr unsigned kPartAtATime = 64; // makes at most limit / 64 at a time, because
                                                 // other threads cannot take cached contexts

    // Makes new contexts, kMostAtATime at most, and stores them into `contexts`. Returns their
    // number. At the limit, makes none and counts a refusal.
    unsigned make(PooledContext** contexts) TEFF_EXCLUDES(lock_);
    // Returns the number of contexts that may be made now. These contexts count as existing from
    // this point on.
    unsigned reserve() TEFF_EXCLUDES(lock_);
    // Stores up to `wanted` idle contexts into `contexts`. Returns their number.
    unsigned take_idle(PooledContext** contexts, unsigned wanted) TEFF_EXCLUDES(lock_);
    void put_warm(PooledContext* const* contexts, unsigned count) TEFF_EXCLUDES(lock_);
    // Gives back the pages of these contexts, and unmaps the contexts that exceed the limit for
    // idle contexts.
    void put_cold(PooledContext* const* contexts, unsigned count) TEFF_EXCLUDES(lock_);
    void put_cold(PooledContext& context) TEFF_EXCLUDES(lock_);
    // Takes warm contexts that no thread has needed since the last call, linked by next_.
    PooledContext* take_unneeded() TEFF_EXCLUDES(lock_);
    void add(StackCache& cache) TEFF_EXCLUDES(lock_);
    void remove(StackCache& cache) TEFF_EXCLUDES(lock_);

    // Maps `count` stacks side by side, all or none. Returns the number of stacks mapped.
    unsigned map(PooledContext** contexts, unsigned count) const;
    PooledContext* make_at(char* bottom) const;
    void unmap(PooledContext& context) const;
    void enter(PooledContext& context) TEFF_REQUIRES(lock_);
    void forget_idle() TEFF_REQUIRES(lock_);
    void strike_out(PooledContext& context) TEFF_REQUIRES(lock_);

    std::size_t stack_bytes_ = 0, guard_bytes_ = 0;
    unsigned limit_ = 0, idle_limit_ = 0;
    Slot* slots_ = nullptr; // an array of `limit_` slots

    sync::Mutex lock_;
    unsigned slots_used_ TEFF_GUARDED_BY(lock_) = 0;
    std::uintptr_t free_slot_ TEFF_GUARDED_BY(lock_) = kNoFreeSlot; // link to the first free slot
    PooledContext* idle_warm_ TEFF_GUARDED_BY(lock_) = nullptr;
    PooledContext* idle_cold_ TEFF_GUARDED_BY(lock_) = nullptr;
    unsigned cold_ TEFF_GUARDED_BY(lock_) = 0;
    unsigned fewest_warm_ TEFF_GUARDED_BY(lock_) = 0;     // the fewest warm stacks since the last take_unneeded
    StackCache* caches_ TEFF_GUARDED_BY(lock_) = nullptr; // the caches that have held a context
    Counts counts_ TEFF_GUARDED_BY(lock_) = {};           // in_use, cached and idle are computed by counts()
    // The number of warm stacks, written under the lock. Relaxed: says whether tending is
    // worthwhile.
    std::atomic<unsigned> warm_{0};
    std::atomic<bool> is_tended_{false}; // relaxed: only keeps a second thread from tending
};

class StackCache {
  public:
    static constexpr unsigned kMost = 8;

    explicit constexpr StackCache(StackPool& pool) : pool_(&pool) {}
    StackCache(const StackCache&) = delete;
    StackCache& operator=(const StackCache&) = delete;

    // HOT take_and_give_back: budget 3 ns. Returns null if no context is available; the caller then
    // waits in place.
    [[nodiscard]] PooledContext* take() {
        PooledContext* const cached = take_cached();
        return TEFF_LIKELY(cached != nullptr) ? cached : take_slow();
    }

    // Returns null if this cache is empty. Takes no lock and makes no system call.
    [[nodiscard]] PooledContext* take_cached() {
        const unsigned count = count_.load(std::memory_order_relaxed); // this thread is the only writer
        if (TEFF_UNLIKELY(count == 0)) return nullptr;
        count_.store(count - 1, std::memory_order_relaxed);
        return cached_[count - 1];
    }

    // HOT take_and_give_back. Requires that no code runs on the context and that no thread will
    // switch to it.
    void give_back(PooledContext& context) {
        unsigned count = count_.load(std::memory_order_relaxed);
        if (TEFF_UNLIKELY(count == kMost || !known_to_pool_)) count = make_room();
        cached_[count] = &context;
        count_.store(count + 1, std::memory_order_relaxed);
    }

    // For leave_for: gives back the caller's current context, after the caller has left it.
    After returning(PooledContext& self) {
        self.returns_to_ = this;
        return {&give_back_departed, &self};
    }

    // Gives all contexts to the pool. Called when the thread ends.
    void hand_over_all();

    // Called in a forked child, before StackPool::drop_all_in_child, for the calling thread's own
    // cache. Empties the cache: its contexts no longer belong to this thread. The caches of the
    // other threads are never used again.
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
    StackCache* next_ = nullptr; // next in the pool's list, under the pool's lock
    PooledContext* cached_[kMost] = {};
};

// Returns the least size of a stack in bytes: 16 KiB, and space for the frame of a signal.
std::size_t least_stack_bytes();

// Returns a third of the number of mappings that a process may have. Contexts take two mappings
// each, so a third of the mappings is left for other uses.
unsigned default_limit();

} // namespace teff::fiber
