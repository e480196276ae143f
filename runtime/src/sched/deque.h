// SPDX-License-Identifier: Apache-2.0
//
// Deque: a worker's own ready tasks. The owner pushes and pops at the bottom (newest first),
// thieves take from the top (oldest first).
//
// The algorithm is that of Chase and Lev (SPAA 2005) with the memory orders of Le, Pop, Cohen and
// Zappa Nardelli (PPoPP 2013). push returns false if the ring is full. The owner then runs the task
// at once, or calls try_grow, which copies the queued items to a ring of twice the size. The first
// ring may lie in memory of the caller (start_in). Old rings are kept until free_memory(), because
// a thief may still be reading an old ring. All old rings together are no larger than the newest.
//
// push, pop, pop_if, bottom, start_in and try_grow may be called by the owner's thread only.
// steal_if and looks_empty may be called by any thread. Positions are 64-bit, and top_ alone
// decides which thread gets an item. push increments bottom_ and pop decrements it; top_ only
// increases.
//
// [deque-1] The store of bottom_ in push (release) pairs with the load in steal (acquire): a thief
//           that sees the position sees the task.
// [deque-2] Four accesses are seq_cst: in pop the store of bottom_ and then the load of top_, in
//           steal the load of top_ and then the load of bottom_. So if an owner and a thief both
//           want the last task, at least one of them sees the other and goes through the
//           compare-exchange on top_.
// [deque-3] The compare-exchange on top_ (seq_cst) gives the task to exactly one taker. A thief
//           that read a slot and then wins has read the right task: the ring was not full, so the
//           owner cannot have reused the slot before top_ moved. No thread writes to a ring that
//           has been replaced.
// [deque-4] The store of ring_ in use (release) pairs with the load in steal (acquire). In steal
//           this load comes after the load of bottom_: a thief that sees a position reads a ring
//           that contains this position.
// [deque-5] The thief's value of top_ may be out of date when the thief loads ring_: the ring may
//           have been made after the item at that position was taken. In that ring the slot is
//           empty. The thief then takes nothing; its compare-exchange would fail anyway.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "base/atomics.h"

namespace teff::sched {

template <class Atomics, class Item> class DequeOver {
  public:
    using Position = std::int64_t;
    using Slot = typename Atomics::template atomic<Item*>;

    // Frees all rings. Requires that the deque is no longer in use. For tests and models only: a
    // team never frees its deques.
    void free_memory() {
        for (Ring* ring = ring_.load(std::memory_order_relaxed); ring != nullptr;) {
            Ring* const freed = std::exchange(ring, ring->before);
            if (!freed->is_lent) std::free(freed);
        }
    }

    // Returns how many items fit into the ring: a power of two, or 0 before the first start_in or
    // try_grow. Called by the owner only.
    std::uint32_t capacity() const { return static_cast<std::uint32_t>(mask_ + 1); }

    // Makes the first ring, for `first` items (a power of two), in `memory`. `memory` has
    // bytes_for(first) bytes, starts at a cache line, and lives as long as the deque does. Called
    // by the owner only, while the capacity is 0.
    TEFF_COLD void start_in(void* memory, std::uint32_t first) { use(*Ring::make_in(memory, first, true)); }

    // Doubles the capacity, or sets it to `first` (a power of two) if it was 0. Returns false if
    // there is no memory. Called by the owner only.
    [[nodiscard]] TEFF_COLD bool try_grow(std::uint32_t first) {
        Ring* const larger = Ring::try_make(capacity() == 0 ? first : 2 * capacity());
        if (larger == nullptr) return false;
        const Position bottom = bottom_.load(std::memory_order_relaxed);
        for (Position at = top_.load(std::memory_order_relaxed); at < bottom;
             ++at) // does not copy taken items [deque-5]
            larger->slot(at).store(slot(at).load(std::memory_order_relaxed), std::memory_order_relaxed);
        larger->before = ring_.load(std::memory_order_relaxed);
        use(*larger);
        return true;
    }

    // HOT producer. Adds an item at the bottom. Returns false if the ring is full. Called by the
    // owner only.
    [[nodiscard]] bool push(Item* item) {
        const Position bottom = bottom_.load(std::memory_order_relaxed); // only the owner writes it
        if (TEFF_UNLIKELY(bottom - cached_top_ > mask_) && full(bottom)) return false;
        slot(bottom).store(item, std::memory_order_relaxed);
        bottom_.store(bottom + 1, std::memory_order_release); // [deque-1]
        return true;
    }

    // HOT taskwait. Takes the newest item if its position is `floor` or above; otherwise returns
    // null. Called by the owner only.
    [[nodiscard]] Item* pop(Position floor) {
        const Position bottom = bottom_.load(std::memory_order_relaxed) - 1;
        if (bottom < floor) return nullptr;
        bottom_.store(bottom, std::memory_order_seq_cst);    // [deque-2]
        Position top = top_.load(std::memory_order_seq_cst); // [deque-2]
        if (TEFF_LIKELY(top < bottom)) return slot(bottom).load(std::memory_order_relaxed);
        Item* item = nullptr;
        if (top == bottom) { // the last item: thieves may want it too
            item = slot(bottom).load(std::memory_order_relaxed);
            if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                              std::memory_order_relaxed)) // [deque-3]
                item = nullptr;
        }
        bottom_.store(bottom + 1, std::memory_order_relaxed); // the deque is empty; thieves only
                                                              // compare bottom_ with top_
        return item;
    }

    // Takes the newest item if `allow(item)` returns true; otherwise returns null. As for steal_if,
    // another thread may take the item while `allow` looks at it. Called by the owner only.
    template <class Allow> [[nodiscard]] Item* pop_if(Allow&& allow) {
        const Position newest = bottom_.load(std::memory_order_relaxed) - 1;
        if (top_.load(std::memory_order_relaxed) > newest) return nullptr;
        if (!allow(slot(newest).load(std::memory_order_relaxed))) return nullptr;
        return pop(newest); // only the owner could have put another item there
    }

    // Takes the oldest item if `allow(item)` returns true; otherwise returns null. May be called by
    // any thread. Other threads may take and even recycle the item while `allow` looks at it, so
    // `allow` must be safe for any contents of the item, and the result of `allow` is used only if
    // the item is still in the deque afterwards. If another thread has taken the item, returns null
    // and sets `*lost` (if `lost` is not null); the deque may then still hold items.
    template <class Allow> [[nodiscard]] Item* steal_if(Allow&& allow, bool* lost = nullptr) {
        Position top = top_.load(std::memory_order_seq_cst);             // [deque-2]
        const Position bottom = bottom_.load(std::memory_order_seq_cst); // [deque-1] [deque-2]
        if (top >= bottom) return nullptr;
        Item* item = ring_.load(std::memory_order_acquire)->slot(top).load(std::memory_order_relaxed); // [deque-4]
        if (TEFF_UNLIKELY(item == nullptr)) {                                                          // [deque-5]
            if (lost != nullptr) *lost = true;
            return nullptr;
        }
        if (!allow(item)) return nullptr;
        if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                          std::memory_order_relaxed)) { // [deque-3]
            if (lost != nullptr) *lost = true;
            return nullptr;
        }
        return item;
    }

    // Returns the position that the next push will fill. Called by the owner only.
    [[nodiscard]] Position bottom() const { return bottom_.load(std::memory_order_relaxed); }

    // Returns an upper bound of the number of items: thieves may have taken some meanwhile. Called
    // by the owner only.
    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(bottom_.load(std::memory_order_relaxed) -
                                          top_.load(std::memory_order_relaxed));
    }

    // May be called by any thread. The answer may be out of date on return.
    [[nodiscard]] bool looks_empty() const {
        return top_.load(std::memory_order_acquire) >= bottom_.load(std::memory_order_acquire); // [deque-1]
    }

    static constexpr std::size_t bytes_for(std::uint32_t capacity) {
        const std::size_t bytes = base::kCacheLine + capacity * sizeof(Slot); // behind a ring's head
        return (bytes + base::kCacheLine - 1) / base::kCacheLine * base::kCacheLine;
    }

  private:
    struct alignas(base::kCacheLine) Ring {
        static Ring* try_make(std::uint32_t capacity) {
            void* const memory = std::aligned_alloc(base::kCacheLine, bytes_for(capacity));
            return memory == nullptr ? nullptr : make_in(memory, capacity, false);
        }
        static Ring* make_in(void* memory, std::uint32_t capacity, bool is_lent) {
            Ring* const made = ::new (memory) Ring{capacity - 1, nullptr, is_lent};
            std::uninitialized_value_construct_n(made->slots(), capacity);
            return made;
        }
        Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
        Slot& slot(Position position) { return slots()[position & mask]; }

        Position mask;
        Ring* before; // the ring that this ring has replaced
        bool is_lent; // the memory belongs to the caller of start_in
    };

    void use(Ring& ring) {
        slots_ = ring.slots();
        mask_ = ring.mask;
        ring_.store(&ring, std::memory_order_release); // [deque-4]
    }

    Slot& slot(Position position) { return slots_[position & mask_]; }

    // Called when the ring looks full according to cached_top_. Reads top_ again, and returns true
    // if the ring is full.
    bool full(Position bottom) {
        cached_top_ = top_.load(std::memory_order_acquire); // [deque-3]
        return bottom - cached_top_ > mask_;
    }

    // The owner's cache line.
    typename Atomics::template atomic<Position> bottom_{0};
    Position cached_top_ = 0; // the value of top_ when the owner last read it: never above the present value
    Slot* slots_ = nullptr;   // the slots of ring_; mask_ is its mask
    Position mask_ = -1;
    typename Atomics::template atomic<Ring*> ring_{nullptr}; // null: no ring was made yet
    // The thieves' cache line.
    alignas(base::kCacheLine) typename Atomics::template atomic<Position> top_{0};
};

} // namespace teff::sched
