// SPDX-License-Identifier: Apache-2.0
//
// Deque: a worker's own ready tasks. The owner pushes and pops at the bottom (newest first),
// thieves take from the top (oldest first).
//
// The algorithm is that of Chase and Lev (SPAA 2005) with the memory orders of Le, Pop, Cohen and
// Zappa Nardelli (PPoPP 2013). When the ring is full, push says so. The owner then runs the task at
// once, or calls try_grow, which copies what is queued to a ring of twice the size; the first ring
// may lie in memory of the caller (start_in). Old rings are kept until the deque is cleared away: a
// thief may still be reading one. Together they are no larger than the newest.
//
// Who may: push, pop, pop_if, bottom, start_in, try_grow: the owner's thread. steal_if and
// looks_empty: any thread. Positions are 64-bit and only top_ ever decides: bottom_ goes up by push
// and down by pop, top_ only up.
//
// [deque-1] push's store of bottom_ (release) pairs with steal's load (acquire): a thief that sees
//           the position sees the task.
// [deque-2] pop's store of bottom_ and load of top_, and steal's load of top_ and load of bottom_,
//           are all seq_cst: of an owner and a thief that both want the last task, at least one
//           sees the other and goes through the compare-exchange on top_.
// [deque-3] the compare-exchange on top_ (seq_cst) gives the task to exactly one taker. A thief
//           that read a slot and then wins has read the right task: the owner cannot have reused
//           the slot before top_ moved, for the ring was not full. Nobody writes to a ring that
//           has been replaced.
// [deque-4] use()'s store of ring_ (release) pairs with steal's load (acquire), which comes
//           after its load of bottom_: a thief that sees a position reads a ring that has it.
// [deque-5] Its top may be old by then, and the ring one that was made after that item had been
//           taken: there the slot is empty, and its compare-exchange would fail.
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

    // Nobody uses it any more. For tests and models: a team keeps its deques for ever.
    void free_memory() {
        for (Ring* ring = ring_.load(std::memory_order_relaxed); ring != nullptr;) {
            Ring* const freed = std::exchange(ring, ring->before);
            if (!freed->is_lent) std::free(freed);
        }
    }

    // Owner: how many items there is room for, a power of two; 0 before the first try_grow.
    std::uint32_t capacity() const { return static_cast<std::uint32_t>(mask_ + 1); }

    // Owner, as there was no room: for `first` items, a power of two, in `memory` of
    // bytes_for(first) bytes, at a cache line's start, that lives as long as the deque does.
    TEFF_COLD void start_in(void* memory, std::uint32_t first) { use(*Ring::make_in(memory, first, true)); }

    // Owner: room for twice as many, or for `first` (a power of two) if there was none. False: no
    // memory.
    [[nodiscard]] TEFF_COLD bool try_grow(std::uint32_t first) {
        Ring* const larger = Ring::try_make(capacity() == 0 ? first : 2 * capacity());
        if (larger == nullptr) return false;
        const Position bottom = bottom_.load(std::memory_order_relaxed);
        for (Position at = top_.load(std::memory_order_relaxed); at < bottom;
             ++at) // what was taken stays out [deque-5]
            larger->slot(at).store(slot(at).load(std::memory_order_relaxed), std::memory_order_relaxed);
        larger->before = ring_.load(std::memory_order_relaxed);
        use(*larger);
        return true;
    }

    // HOT producer. Owner. False: full.
    [[nodiscard]] bool push(Item* item) {
        const Position bottom = bottom_.load(std::memory_order_relaxed); // only the owner writes it
        if (TEFF_UNLIKELY(bottom - cached_top_ > mask_) && full(bottom)) return false;
        slot(bottom).store(item, std::memory_order_relaxed);
        bottom_.store(bottom + 1, std::memory_order_release); // [deque-1]
        return true;
    }

    // HOT taskwait. Owner. The newest item at position `floor` or above, or null.
    [[nodiscard]] Item* pop(Position floor) {
        const Position bottom = bottom_.load(std::memory_order_relaxed) - 1;
        if (bottom < floor) return nullptr;
        bottom_.store(bottom, std::memory_order_seq_cst);    // [deque-2]
        Position top = top_.load(std::memory_order_seq_cst); // [deque-2]
        if (TEFF_LIKELY(top < bottom)) return slot(bottom).load(std::memory_order_relaxed);
        Item* item = nullptr;
        if (top == bottom) { // the last one: thieves may want it too
            item = slot(bottom).load(std::memory_order_relaxed);
            if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                              std::memory_order_relaxed)) // [deque-3]
                item = nullptr;
        }
        bottom_.store(bottom + 1, std::memory_order_relaxed); // empty; thieves compare it with top_ only
        return item;
    }

    // Owner. The newest item, if there is one and `allow(item)` says so. As for steal_if, the item
    // may be gone while `allow` looks at it.
    template <class Allow> [[nodiscard]] Item* pop_if(Allow&& allow) {
        const Position newest = bottom_.load(std::memory_order_relaxed) - 1;
        if (top_.load(std::memory_order_relaxed) > newest) return nullptr;
        if (!allow(slot(newest).load(std::memory_order_relaxed))) return nullptr;
        return pop(newest); // where nobody but the owner puts another one
    }

    // Any thread. The oldest item, if there is one and `allow(item)` says so. The item may be taken
    // and even recycled by others while `allow` looks at it, so `allow` must bear any answer; its
    // answer counts only if the item was still here afterwards. Else another thread has taken the
    // item: `lost`, if given, says so; there may be more.
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

    // Owner: the position that the next push will fill.
    [[nodiscard]] Position bottom() const { return bottom_.load(std::memory_order_relaxed); }

    // Owner: how many items there are, or some more.
    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(bottom_.load(std::memory_order_relaxed) -
                                          top_.load(std::memory_order_relaxed));
    }

    // Any thread; may be out of date when it returns.
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
        Ring* before; // the one that this has replaced
        bool is_lent; // its memory is another's
    };

    void use(Ring& ring) {
        slots_ = ring.slots();
        mask_ = ring.mask;
        ring_.store(&ring, std::memory_order_release); // [deque-4]
    }

    Slot& slot(Position position) { return slots_[position & mask_]; }

    // The ring looked full by the owner's last knowledge of top_: look again.
    bool full(Position bottom) {
        cached_top_ = top_.load(std::memory_order_acquire); // [deque-3]
        return bottom - cached_top_ > mask_;
    }

    // Owner's line.
    typename Atomics::template atomic<Position> bottom_{0};
    Position cached_top_ = 0; // top_ as the owner last saw it: never above the true one
    Slot* slots_ = nullptr;   // of ring_, and its mask
    Position mask_ = -1;
    typename Atomics::template atomic<Ring*> ring_{nullptr}; // null: nothing was ever pushed
    // Thieves' line.
    alignas(base::kCacheLine) typename Atomics::template atomic<Position> top_{0};
};

} // namespace teff::sched
