// SPDX-License-Identifier: Apache-2.0
//
// LockHolds: the locks that one thread has taken and that are still held, and when each was taken.
// A recording makes a LOCK record of each when it is released.
//
// The lock itself has no space for that (omp_lock_t has 4 bytes). So the data of a hold are kept
// here, with the thread that began it, and found by the lock's address: first in a small table,
// then in larger ones, which are made when they are needed and kept. Each address has a few slots
// in each table. Slots are searched in the same order, whether for a free one or for one in use.
//
// A lock may be given back by another task or another thread than the one that took it. Who may
// touch what: the thread that owns this object may touch a free slot, and the holder of the lock a
// slot in use. The program orders the two, as it releases a lock only after it was taken.
//
// [hold-1] A slot in use is freed by a store (release), possibly by another thread, and found free
//          or in use by a load (acquire): its fields are read after they were written, and written
//          again after they were read.
// [hold-2] A further table is shown to others by a store (release), when its memory is zero, and
//          read by a load (acquire).
//
// A hold without end (the lock's memory is gone) keeps its slot. The next one of the same address
// by the same thread takes it over; `forget` is for a lock that is initialised again.
//
// Memory: pages of the system, zero at first; never given back, as streams are not.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.h"
#include "base/clock.h"

namespace teff::probe::trace {

struct LockHold {
    base::Ticks had = 0;    // when
    base::Ticks waited = 0; // before that
    std::uint64_t task = 0; // that took it
    const void* call_site = nullptr;
};

class LockHolds {
  public:
    // By the thread that owns this, when it has taken the lock. False: there is no memory.
    bool begin(const void* lock, const LockHold& hold) {
        Slot* const slot = find_place(lock);
        if (TEFF_UNLIKELY(slot == nullptr)) return false;
        slot->hold = hold;
        slot->lock.store(lock, std::memory_order_release); // [hold-1]
        return true;
    }

    // By whoever holds the lock, before it is given back. False: its hold has not begun here.
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

    // The first slot of the lock in a table that `wanted` says yes to; null: none.
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
