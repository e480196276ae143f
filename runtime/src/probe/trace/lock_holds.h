// SPDX-License-Identifier: Apache-2.0
//
// LockHolds: the locks that one thread has taken and that are still held, and when each was taken.
// When a lock is released, a recording makes a LOCK record of the hold.
//
// The lock itself has no space for the data of a hold (omp_lock_t has 4 bytes). So these data are
// kept here, with the thread that took the lock. They are found by the lock's address: first in a
// small table, then in larger tables, which are made when they are needed and kept. Each address
// has a few slots in each table. A search for a free slot and a search for a slot in use go through
// the slots in the same order.
//
// A lock may be released by another task or another thread than the one that took it. A free slot
// may be accessed only by the thread that owns this object; a slot in use only by the holder of the
// lock. The program orders these accesses, as it releases a lock only after the lock was taken.
//
// [hold-1] A store (release) frees a slot, possibly on another thread; a store (release) also marks
//          it as in use. A load (acquire) finds whether a slot is free or in use. So the slot's
//          fields are read after they were written, and written again after they were read.
// [hold-2] A store (release) publishes a further table when the table's memory is zero; a load
//          (acquire) reads the pointer to the table.
//
// If a hold never ends, because the lock's memory was freed, the hold keeps its slot. The next hold
// of the same address by the same thread takes over the slot; `forget` frees the slot of a lock
// that is initialised again.
//
// The memory is pages of the system, which are zero at first. They are never given back, and
// neither is the memory of streams.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.h"
#include "base/clock.h"

namespace teff::probe::trace {

struct LockHold {
    base::Ticks had = 0;    // when the lock was taken
    base::Ticks waited = 0; // how long the thread waited for the lock
    std::uint64_t task = 0; // the task that took the lock
    const void* call_site = nullptr;
};

class LockHolds {
  public:
    // Notes a hold. Called by the thread that owns this object, when it has taken the lock. Returns
    // false if there is no memory.
    bool begin(const void* lock, const LockHold& hold) {
        Slot* const slot = find_place(lock);
        if (TEFF_UNLIKELY(slot == nullptr)) return false;
        slot->hold = hold;
        slot->lock.store(lock, std::memory_order_release); // [hold-1]
        return true;
    }

    // Ends a hold and returns it in `hold`. Called by the thread that holds the lock, before it
    // releases the lock. Returns false if the hold was not noted in this object.
    bool end(const void* lock, LockHold& hold) {
        Slot* const slot = find(lock);
        if (TEFF_UNLIKELY(slot == nullptr)) return false;
        hold = slot->hold;
        slot->lock.store(nullptr, std::memory_order_release); // [hold-1]
        return true;
    }

    void forget(const void* lock) {
        LockHold unused;
        (void)end(lock, unused);
    }

  private:
    struct Slot {
        std::atomic<const void*> lock; // null: free
        LockHold hold;
    };

    static constexpr unsigned kTables = 10, kSmallestBits = 4, kBitsMore = 2, kSlotsOfLock = 4;
    static constexpr unsigned bits_of(unsigned table) { return kSmallestBits + kBitsMore * table; }
    static constexpr std::size_t slots_of(unsigned table) { return std::size_t{1} << bits_of(table); }

    static std::size_t first_slot(const void* lock, unsigned table) { // Fibonacci hashing
        return reinterpret_cast<std::uintptr_t>(lock) * 0x9e37'79b9'7f4a'7c15u >> (64 - bits_of(table));
    }

    // Returns the lock's first slot in the table for which `wanted` returns true, or null if there
    // is no such slot. `wanted` gets the lock in the slot (null: the slot is free).
    template <class Wanted> static Slot* look(Slot* slots, unsigned table, const void* lock, Wanted&& wanted) {
        const std::size_t first = first_slot(lock, table), mask = slots_of(table) - 1;
        for (std::size_t i = 0; i < kSlotsOfLock; ++i) {
            Slot& slot = slots[(first + i) & mask];
            if (wanted(slot.lock.load(std::memory_order_acquire))) return &slot; // [hold-1]
        }
        return nullptr;
    }

    Slot* further(unsigned table) const { return further_[table - 1].load(std::memory_order_acquire); } // [hold-2]

    Slot* find(const void* lock) {
        const auto is_its = [lock](const void* in_slot) { return in_slot == lock; };
        if (Slot* const slot = look(smallest_, 0, lock, is_its); TEFF_LIKELY(slot != nullptr)) return slot;
        for (unsigned table = 1; table < kTables; ++table) {
            Slot* const slots = further(table);
            if (slots == nullptr) return nullptr;
            if (Slot* const slot = look(slots, table, lock, is_its)) return slot;
        }
        return nullptr;
    }

    Slot* find_place(const void* lock) {
        const auto is_free = [lock](const void* in_slot) { return in_slot == nullptr || in_slot == lock; };
        if (Slot* const slot = look(smallest_, 0, lock, is_free); TEFF_LIKELY(slot != nullptr)) return slot;
        for (unsigned table = 1; table < kTables; ++table) {
            Slot* slots = further(table);
            if (slots == nullptr) slots = make_table(table);
            if (slots == nullptr) return nullptr;
            if (Slot* const slot = look(slots, table, lock, is_free)) return slot;
        }
        return nullptr;
    }

    TEFF_COLD Slot* make_table(unsigned table);

    Slot smallest_[std::size_t{1} << kSmallestBits] = {};
    std::atomic<Slot*> further_[kTables - 1] = {};
};

} // namespace teff::probe::trace
